import type { IExecuteFunctions } from 'n8n-workflow';

import { OF_LISTS } from '../descriptions/rowFields';
import { isTool } from '../n8n/execution';
import { RUN, type Parameters } from '../n8n/parameters';
import type { RowChoice } from '../rows/rows';
import type { DownloadFormat } from '../service/connection';
import { readGivenPrices, readRowChoice } from './rowChoice';

/** How the user wants an ended job. */
export interface ResultChoice extends Omit<RowChoice, 'output'> {
	output: (typeof OUTPUT_CHOICES)[number];
	format: DownloadFormat;
	/** Whether a row includes the fields of the item that asked for it. */
	includeInputFields: boolean;
	/** Those that rows begin with, by their exact names; all when empty. */
	inputFields: readonly string[];
	/** What the columns of a row hold beside these fields where there is no answer. */
	emptyValues: 'emptyText' | 'null';
	/** Name of the binary field for the output File. */
	binaryPropertyName: string;
	/** Name of the file; made from the job's ID when blank. */
	fileName: string;
	timeoutMs?: number;
}

/** Whether results become rows, which can be combined with the items that asked. */
export function makesRows(choice: ResultChoice): choice is ResultChoice & RowChoice {
	return choice.output === 'results' || choice.output === 'entries';
}

/** How the user wants results: `first` for all items but those in `byItem`. All share one output. */
export interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
}

const OUTPUT_CHOICES = ['entries', 'fields', 'file', 'job', 'results', 'status'] as const;
const EMPTY_VALUES = ['emptyText', 'null'] as const;
const FORMATS = ['json', 'xml', 'csv', 'xlsx'] as const;

/** Of a run in which no item says how it wants results, because all have failed: nothing is rendered. */
const NO_CHOICE: ResultChoice = {
	...{ output: 'results', columns: 'main', format: 'json', binaryPropertyName: '', fileName: '' },
	...{ includeInputFields: false, inputFields: [], emptyValues: 'null' },
	...{ includeNotFound: true, onFailedResult: 'include' },
	bestPrice: { ignoreShops: [], includeShipping: true },
};

/** Reads how the user wants results: run-wide fields once, all others for each item. */
export class ChoiceReader {
	private all?: Required<Choices>;
	private firstText?: string;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly fields: Parameters,
	) {}

	/**
	 * The choice at an item, and the item's own prices for the comparison.
	 *
	 * @throws NodeOperationError when the format does not fit the output, or a field is invalid
	 */
	read(item: number) {
		const { fields } = this;
		// A topic by an expression may be another one for each item, but a run has one output.
		const isOfLists = OF_LISTS.includes(String(fields.stored.topic));
		const output = fields.choice('output', RUN, OUTPUT_CHOICES, isOfLists ? 'entries' : 'results');
		const format = fields.choice('options.format', item, FORMATS, 'json');
		if (output === 'file' && isTool(this.context)) {
			const advice = 'Nothing was sent. Set Output to One Row per Product or Job With Results.';
			throw fields.refusal(RUN, 'An agent cannot read a file', advice);
		}
		if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
			const message = `${format.toUpperCase()} is only available as a file`;
			throw fields.refusal(item, message, 'Set Output to File, or Format to JSON or XML.');
		}
		const choice: ResultChoice = {
			output,
			format,
			// The input of Download did not request any values.
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
		const written = JSON.stringify(choice);
		if (written !== (this.firstText ??= written)) byItem[item] = choice;
		return { choice, givenPrices: output === 'results' ? readGivenPrices(fields, item) : undefined };
	}

	/** All choices that were read. */
	choices(): Choices {
		return this.all ?? { first: NO_CHOICE };
	}
}
