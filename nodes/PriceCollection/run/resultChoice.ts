import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { readGivenPrices, readRowChoice } from '../descriptions/rowFields';
import { isTool, linkedItems } from '../n8n/execution';
import { RUN, type Parameters } from '../n8n/parameters';
import type { GivenPrices } from '../output/comparison';
import type { ResultChoice } from '../output/fetch';
import { besideInput } from '../output/columns';
import type { RowChoice } from '../output/rows';
import type { Aside, Requester } from './lookup/record';
import type { Choices } from './stored/formats';
import type { Run } from './tickets';

const OUTPUTS = ['entries', 'file', 'job', 'results', 'status'] as const;
const FORMATS = ['json', 'xml', 'csv', 'xlsx'] as const;

/** How to output the results at an item. */
export function choiceAt({ first, byItem }: Choices, item: number): ResultChoice {
	return byItem?.[item] ?? first;
}

/** How to render the rows of some requesters at an item; only a single one has prices to compare. */
export function rowChoiceAt(
	choices: Choices,
	at: number,
	[only, ...others]: readonly Requester[],
): RowChoice {
	const choice = choiceAt(choices, at);
	const given = others.length === 0 ? only?.given : undefined;
	return { ...choice, output: choice.output === 'entries' ? 'entries' : 'results', given };
}

/**
 * Returns a function that adds the fields of the requesting item to rows, if there is only one and this
 * execution still has it. Rows for an agent stay alone, because it knows its question.
 */
export function besideRequesters({ context, choices, input = context.getInputData() }: Run) {
	const { columns, includeInputFields } = choices.first;
	const itemsBySource = new Map<string, ReturnType<typeof linkedItems>>();
	const itemsOf = ({ source }: Requester) => {
		if (source === undefined) return input;
		const key = JSON.stringify(source);
		if (!itemsBySource.has(key)) itemsBySource.set(key, linkedItems(context, source));
		return itemsBySource.get(key);
	};
	return (requesters: ReadonlyArray<Aside | Requester>, rows: readonly IDataObject[]) => {
		const [only, ...others] = requesters;
		if (!includeInputFields || columns === 'raw' || isTool(context)) return rows;
		// Items that only name a job requested no values.
		if (only === undefined || others.length > 0 || !('asks' in only || 'row' in only)) return rows;
		const json = itemsOf(only)?.[only.item]?.json;
		return json === undefined ? rows : rows.map((row) => besideInput(json, row));
	};
}

/** Reads how the user wants results: run-wide fields once, all others for each item. */
export class ChoiceReader {
	/** By content, so that items with equal choices share one. */
	private readonly known = new Map<string, ResultChoice>();
	private readonly byItem: NonNullable<Choices['byItem']> = {};
	readonly output: ResultChoice['output'];

	/** @throws NodeOperationError for an invalid output, or a file for an agent */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly fields: Parameters,
	) {
		this.output = fields.choice('output', RUN, OUTPUTS, 'results');
		if (this.output !== 'file' || !isTool(context)) return;
		const advice = 'Nothing was sent. Set Output to One Row per Product or Job With Results.';
		throw fields.refusal(RUN, 'An agent cannot read a file', advice);
	}

	/** @throws NodeOperationError when the format does not fit the output, or a field is invalid */
	read(item: number): ResultChoice {
		const { fields, output } = this;
		const format = fields.choice('options.format', item, FORMATS, 'json');
		if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
			const message = `${format.toUpperCase()} can only be had as a file`;
			throw fields.refusal(item, message, 'Set Output to File, or Format to JSON or XML.');
		}
		const choice: ResultChoice = {
			output,
			format,
			// The input of Download did not request any values.
			includeInputFields:
				fields.text('operation', RUN) !== 'download' &&
				fields.flag('options.includeInputFields', RUN, true),
			binaryPropertyName: fields.text('options.binaryPropertyName', item, 'data'),
			fileName: fields.text('options.fileName', item),
			timeoutMs: fields.timeoutMs(),
			...readRowChoice(fields, item),
		};
		const text = JSON.stringify(choice);
		const same = this.known.get(text) ?? choice;
		this.known.set(text, same);
		if (this.known.size > 1) this.byItem[item] = same;
		return same;
	}

	/** The prices of an item for the comparison. */
	givenPrices(item: number): GivenPrices | undefined {
		if (this.output !== 'results') return undefined;
		return readGivenPrices(this.fields, this.context.getNode().parameters, item);
	}

	/** All choices. @throws NodeOperationError if none was read before and the first is invalid */
	choices(): Choices {
		const [first = this.read(0)] = this.known.values();
		return { first, byItem: this.byItem };
	}
}
