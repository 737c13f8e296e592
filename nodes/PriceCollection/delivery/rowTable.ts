import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { failedResultError, operationError, type NodeError } from '../n8n/errors';
import { isTool, linkedItems } from '../n8n/execution';
import { errorItem, unlessItStops } from '../n8n/items';
import { compactRows } from '../rows/compact';
import { besideInput, losesAnswer, replacedFields } from '../rows/besideInput';
import type { Remarks } from '../rows/remarks';
import { withoutAnswer, type FailedResult, type Renderer, type RowChoice } from '../rows/rows';
import type { Steps } from '../rows/steps';
import { inputIndexOf, linkOf, type Requester, type Run, type UnsentRequest } from '../run/record';
import { fieldsBeside } from '../run/tickets';
import { jobsText } from './jobErrors';
import type { ItemResults, ValueCounts } from './pairing';

/* The rows of a run, from answers to output items. */

/** Rows and their position in the output. */
export interface PlacedRows extends Pick<ItemResults, 'inputIndex' | 'position' | 'requesters'> {
	rows: readonly IDataObject[];
	/** The failed result that fails the item, if the user chose Stop With Error. No `jobId` if nothing was sent. */
	failed?: FailedResult & { jobId?: string };
}

/** The rows of a run. Renders answers as they are added, so that their results need not stay in memory. */
export class RowTable {
	readonly counts: ValueCounts = { found: 0, notFound: 0, failed: 0, unanswered: 0 };
	private readonly placed: PlacedRows[] = [];

	constructor(
		private readonly render: (answer: ItemResults) => Promise<Pick<PlacedRows, 'failed' | 'rows'>>,
	) {}

	async add(answers: Iterable<ItemResults>): Promise<void> {
		for (const answer of answers) {
			const { job, requesters, inputIndex, position, counts = {} } = answer;
			for (const [outcome, count] of Object.entries(counts))
				this.counts[outcome as keyof ValueCounts] += count;
			const { rows, failed } = await this.render(answer);
			const failedOfJob = failed && { ...failed, jobId: job.job_id ?? undefined };
			this.placed.push({ requesters, inputIndex, position, rows, failed: failedOfJob });
		}
	}

	/** Adds rows for values that were not sent, at their position among the item's values. */
	async addUnsent(unsent: readonly UnsentRequest[]): Promise<void> {
		for (const unsentRequest of unsent) {
			const { row, position } = unsentRequest;
			if (row === undefined) continue;
			const job = { job_id: null, status: null };
			const results = [withoutAnswer(row.query, row.reason)];
			const inputIndex = inputIndexOf(unsentRequest);
			await this.add([{ job, requesters: [unsentRequest], inputIndex, position, results }]);
		}
	}

	/** All rows, in output order. */
	rows(): PlacedRows[] {
		const itemOf = ({ requesters: [first, second] }: PlacedRows) =>
			second ? Infinity : (first?.item ?? Infinity);
		return this.placed.toSorted(
			(a, b) => a.inputIndex - b.inputIndex || itemOf(a) - itemOf(b) || a.position - b.position,
		);
	}
}

/**
 * Returns a function that adds the fields of the requesting item to rows, if there is exactly one such item and this
 * execution still has it. Rows without input fields get the same column names.
 */
function besideRequesters({ context, choices, input = context.getInputData() }: Run, remarks: Remarks) {
	const { columns, emptyValues, includeInputFields, inputFields } = choices.first;
	const empty = emptyValues === 'emptyText' ? '' : null;
	const itemsBySource = new Map<string, ReturnType<typeof linkedItems>>();
	const itemsOf = ({ source }: Requester) => {
		if (source === undefined) return input;
		const key = JSON.stringify(source);
		if (!itemsBySource.has(key)) itemsBySource.set(key, linkedItems(context, source));
		return itemsBySource.get(key);
	};
	return function* (
		[requester, ...others]: readonly Requester[],
		rows: readonly IDataObject[],
	): Steps<readonly IDataObject[]> {
		if (!includeInputFields || columns === 'raw') return rows;
		// An item that only names a job requested no values.
		const isSoleRequester =
			requester !== undefined && others.length === 0 && ('lookups' in requester || 'row' in requester);
		const hasFields = isSoleRequester && requester.isOfSeveral !== true;
		const json = fieldsBeside((hasFields ? itemsOf(requester)?.[requester.item]?.json : undefined) ?? {});
		const isPicked = hasFields && inputFields.length > 0;
		const shownFields = isPicked ? remarks.pickFrom(json, inputFields) : json;
		const beside = besideInput(shownFields, { columns, empty });
		const combined: IDataObject[] = [];
		for (const row of rows) {
			if (empty === null && losesAnswer(json, row)) remarks.note('emptied', json);
			const replaced = combined.length === 0 ? replacedFields(json, row) : [];
			if (replaced.length > 0) remarks.note('replaced', json, replaced);
			combined.push(beside(row));
			yield 1;
		}
		return combined;
	};
}

/** A table whose rows include the fields of their requesting items. */
export function rowTableOf(run: Run, renderer: Renderer): RowTable {
	const { context, choices } = run;
	const beside = besideRequesters(run, renderer.remarks);
	const forTool = isTool(context);
	const render = async ({ job, results, requesters, inputIndex, requested, isUnmatched }: ItemResults) => {
		const itemChoice = choices.byItem?.[inputIndex] ?? choices.first;
		const output = itemChoice.output === 'entries' ? 'entries' : 'results';
		// Prices to compare belong to a single item.
		const inputPrices = requesters.length === 1 ? requesters[0]?.inputPrices : undefined;
		const choice: RowChoice = { ...itemChoice, output, inputPrices };
		if (isUnmatched) for (const result of results) renderer.remarks.note('unmatched', result);
		const { rows, failed } = await renderer.render(job, results, choice, requested);
		// An agent knows its question, so its rows need no input fields.
		const finalRows = forTool
			? compactRows(rows, choice, results, renderer.origin.reader, requested?.parameters)
			: beside(requesters, rows);
		return { rows: await renderer.runner.run(finalRows), failed };
	};
	return new RowTable(render);
}

/** An output item, and the index of the input item that it is sorted by. */
export interface PlacedItem {
	inputIndex: number;
	item: INodeExecutionData;
}

/** An error item. n8n adds the fields of the first linked item, so that must be an item of this node's input. */
export function errorAt(inputIndex: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const fromOtherNodes = requesters.filter(({ source }) => source !== undefined);
	return { inputIndex, item: { json, pairedItem: linkOf([{ item: inputIndex }, ...fromOtherNodes]) } };
}

function failedRowError(run: Run, { failed, inputIndex }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = run.context.getNode();
	const { value, reason, jobId } = failed;
	const subject = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? operationError(node, `${subject} was ${reason}`, 'Nothing was paid for it.', inputIndex)
			: failedResultError(node, failed, jobId, inputIndex);
	if (run.records.length > 1) error.description = `${error.description ?? ''} ${jobsText(run)}`.trim();
	return error;
}

/**
 * The items of all rows.
 *
 * @throws NodeOperationError for the first failed row, unless the node continues after failures
 */
export function rowItems(run: Run, table: RowTable): PlacedItem[] {
	return table.rows().flatMap((row): PlacedItem[] => {
		const { inputIndex, requesters, rows } = row;
		const error = failedRowError(run, row);
		if (error)
			return [
				errorAt(
					inputIndex,
					requesters,
					errorItem(unlessItStops(run.context, error), inputIndex).json,
				),
			];
		return rows.map((json) => ({ inputIndex, item: { json, pairedItem: linkOf(requesters) } }));
	});
}
