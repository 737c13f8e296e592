import type { IExecuteFunctions } from 'n8n-workflow';

import { readBestPrice, readColumns } from '../descriptions/rowFields';
import { inputError } from '../n8n/errors';
import { RUN, type Parameters } from '../n8n/parameters';
import { isTool } from '../n8n/tool';
import type { ResultChoice } from '../output/fetch';
import type { Choices } from './stored/suspendedRun';

const OUTPUTS = ['entries', 'file', 'job', 'results', 'status'] as const;
const FORMATS = ['json', 'xml', 'csv', 'xlsx'] as const;
const ON_FAILED_RESULT = ['error', 'include', 'skip'] as const;

/** How the results at an item are given out. */
export function choiceAt({ first, byItem }: Choices, item: number): ResultChoice {
	return byItem?.[item] ?? first;
}

/** Reads how the user wants results: what concerns the run once, all else for each item. */
export class ChoiceReader {
	private readonly known = new Map<string, ResultChoice>();
	private readonly byItem = new Map<number, ResultChoice>();
	readonly output: ResultChoice['output'];

	/** @throws NodeOperationError for an output that is none, or that an agent cannot read */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly fields: Parameters,
	) {
		this.output = fields.choice('output', RUN, OUTPUTS, 'results');
		if (this.output !== 'file' || !isTool(context)) return;
		const advice = 'Nothing was sent. Set Output to Results, Entries or Job With Results.';
		throw inputError(context.getNode(), 'An agent cannot read a file', advice);
	}

	/** @throws NodeOperationError when the format cannot be had with the output, or a field holds what it cannot mean */
	read(item: number): ResultChoice {
		const { context, fields, output } = this;
		const format = fields.choice('options.format', item, FORMATS, 'json');
		if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
			const message = `${format.toUpperCase()} can only be had as a file`;
			throw inputError(
				context.getNode(),
				message,
				'Set Output to File, or Format to JSON or XML.',
				item,
			);
		}
		const choice: ResultChoice = {
			output,
			format,
			simplify: fields.flag('simplify', RUN, true),
			includeNotFound: fields.flag('options.includeNotFound', item, true),
			onFailedResult: fields.choice('options.onFailedResult', item, ON_FAILED_RESULT, 'include'),
			contentList: fields.text('options.contentList', item) || undefined,
			binaryPropertyName: fields.text('options.binaryPropertyName', item, 'data'),
			fileName: fields.text('options.fileName', item),
			timeoutMs: fields.timeoutMs(),
			...readColumns(fields),
			...(output === 'results' &&
				fields.flag('bestPrice', RUN, true) && { bestPrice: readBestPrice(fields, item) }),
		};
		const text = JSON.stringify(choice);
		const same = this.known.get(text) ?? choice;
		this.known.set(text, same);
		this.byItem.set(item, same);
		return same;
	}

	/** All that was read. @throws NodeOperationError where nothing could be read before */
	choices(): Choices {
		const [first = this.read(0)] = this.known.values();
		return this.known.size > 1 ? { first, byItem: Object.fromEntries(this.byItem) } : { first };
	}
}
