import type { IExecuteFunctions } from 'n8n-workflow';

import { LIST_TOPICS } from '../descriptions/rowFields';
import { isTool } from '../n8n/execution';
import { RUN, type NodeFields } from '../n8n/nodeFields';
import type { RowChoice } from '../rows/rows';
import { DOWNLOAD_FORMATS, READABLE_FORMATS, type DownloadFormat } from '../service/formats';
import { readInputPrices, readRowChoice } from './rowChoice';

/** How the user wants the results of a job. */
export interface ResultChoice extends Omit<RowChoice, 'output'> {
	output: (typeof OUTPUT_CHOICES)[number];
	format: DownloadFormat;
	/** Whether a row includes the fields of its requesting item. */
	includeInputFields: boolean;
	/** The exact names of the input fields that rows begin with; all fields if empty. */
	inputFields: readonly string[];
	/** What this node's columns hold if there is no answer, in rows with input fields. */
	emptyValues: 'emptyText' | 'null';
	/** Name of the binary field for the output File. */
	binaryPropertyName: string;
	/** Name of the file; if blank, it is made from the job's ID. */
	fileName: string;
	timeoutMs?: number;
}

/** Whether results become rows, which can be combined with their requesting items. */
export function makesRows(choice: ResultChoice): choice is ResultChoice & RowChoice {
	return choice.output === 'results' || choice.output === 'entries';
}

/** How the user wants results: `first` applies to all items that are not in `byItem`. All items share one output. */
export interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
}

const OUTPUT_CHOICES = ['entries', 'fields', 'file', 'job', 'results', 'status'] as const;
const EMPTY_VALUES = ['emptyText', 'null'] as const;

/** Used if no choice could be read because all items failed; nothing is rendered with it. */
const NO_CHOICE: ResultChoice = {
	...{ output: 'results', columns: 'main', format: 'json', binaryPropertyName: '', fileName: '' },
	...{ includeInputFields: false, inputFields: [], emptyValues: 'null' },
	...{ includeNotFound: true, onFailedResult: 'include' },
	bestPrice: { ignoreShops: [], includeShipping: true },
};

/** Reads how the user wants results: some fields once for the run, all others for each item. */
export class ChoiceReader {
	private all?: Required<Choices>;
	private firstText?: string;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly fields: NodeFields,
	) {}

	/**
	 * Reads the choice for an item, and the item's prices for the comparison.
	 *
	 * @throws NodeOperationError if the format does not fit the output, or a field is invalid
	 */
	read(item: number) {
		const { fields } = this;
		// Only a fixed topic decides: an expression may give each item another topic, but a run has one output.
		const isOfLists = LIST_TOPICS.includes(String(fields.stored.topic));
		const output = fields.choice('output', RUN, OUTPUT_CHOICES, isOfLists ? 'entries' : 'results');
		const format = fields.choice('options.format', item, DOWNLOAD_FORMATS, 'json');
		if (output === 'file' && isTool(this.context)) {
			const advice = 'Nothing was sent. Set Output to One Row per Product or Job With Results.';
			throw fields.refusal(RUN, 'An agent cannot read a file', advice);
		}
		if (output !== 'file' && !READABLE_FORMATS.includes(format)) {
			const message = `${format.toUpperCase()} is only available as a file`;
			throw fields.refusal(item, message, 'Set Output to File, or Format to JSON or XML.');
		}
		const choice: ResultChoice = {
			output,
			format,
			// The input items of Download did not request the values.
			includeInputFields:
				fields.text('operation', RUN) !== 'download' &&
				fields.flag('options.includeInputFields', RUN, true),
			inputFields: fields.texts('options.inputFields', RUN),
			emptyValues: fields.choice('options.emptyValues', RUN, EMPTY_VALUES, 'null'),
			binaryPropertyName: fields.text('options.binaryPropertyName', item, 'data'),
			fileName: fields.text('options.fileName', item),
			timeoutMs: fields.timeoutMs(),
			...readRowChoice(fields, item),
		};
		const { byItem } = (this.all ??= { first: choice, byItem: {} });
		// A suspended run stores only the choices that differ.
		const serialized = JSON.stringify(choice);
		if (serialized !== (this.firstText ??= serialized)) byItem[item] = choice;
		return { choice, inputPrices: output === 'results' ? readInputPrices(fields, item) : undefined };
	}

	/** All choices read so far. */
	choices(): Choices {
		return this.all ?? { first: NO_CHOICE };
	}
}
