import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/clock';
import { topicTraits, TOPICS } from '../service/topics';
import type { Result, ResultQuery } from '../service/types';
import { amountOf, currencyOf } from './amounts';
import { comparePrices, NO_PRICE, type BestPriceOptions } from './bestPrice';
import { plainFields, withColumns } from './columns';
import { compareGiven, NO_COMPARISON, type GivenPrices } from './comparison';
import { conditionClass } from './condition';
import { contentListOf, isBlank, isFound, listsIn, namesFor } from './contentList';
import {
	contextOf,
	FIRST_OF_ENTRY,
	flatRow,
	partsOfEntries,
	partsOfResult,
	plainRow,
	topicOf,
	type Asked,
	type RowJob,
	type RowParts,
} from './flatten';
import { Remarks } from './remarks';

/** How the user wants results to become items. */
export interface RowChoice {
	output: 'entries' | 'results';
	/** `main`: up to ten plain ones. `all`. `selected`: `fields`. `raw`: the service's own structure. */
	columns: 'all' | 'main' | 'raw' | 'selected';
	/** The columns that leave when they are selected, in this order. */
	fields?: readonly string[];
	/** `number`: prices as numbers where that is exact; otherwise as the service gives them. */
	priceFormat?: 'number' | 'text';
	includeNotFound: boolean;
	/** With `error` the caller fails the item first, see `failedResult`. */
	onFailedResult: 'error' | 'include' | 'skip';
	/** Name of the list inside the content; found by itself when absent or blank. */
	contentList?: string;
	/** Which offers count for the best price. */
	bestPrice: BestPriceOptions;
	/** The prices that the item brings along. */
	given?: GivenPrices;
}

/** What an error text about a failed result needs. */
export interface FailedResult {
	value: string | null;
	reason: string;
}

/** The parameters that the service echoes in a result. Others, such as the callback URL, stay out of items. */
const ECHOED: readonly string[] = [
	'source',
	'country',
	'topic',
	'key',
	'max_pages',
	'max_age',
	'sort_by',
	'condition',
	'shipping',
];

/**
 * The rows of one result: one, or with `entries` one per entry of its content's list (at least one), or none
 * when it is of a kind that is left out. Nested data is shared with the result, not copied.
 *
 * @param remarks told what a user should know about the rows
 */
export function rowsOf(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	asked?: Asked,
	remarks = new Remarks(),
): IDataObject[] {
	const { content, success } = result;
	const topic = topicOf(result, asked);
	if (!success && choice.onFailedResult === 'skip') return [];
	if (success && !choice.includeNotFound && !isFound(result, topic)) return [];
	const ofEntries = choice.output === 'entries';
	const list = ofEntries ? contentListOf(content, topic, choice.contentList) : undefined;
	if (ofEntries && list === undefined && success && !isBlank(content)) {
		const lists = listsIn(content);
		if (lists.length > 0 || choice.contentList !== undefined)
			remarks.note('unclearEntries', result, lists);
	}
	if (typeof result.content_from === 'string') remarks.note('contentFrom', result, [result.content_from]);
	if (choice.columns === 'raw') {
		const root = { job_id: job.job_id, status: job.status, ...result };
		if (!list?.entries.length) return [root];
		// An entry stands where the content with its list stood.
		return list.entries.map((entry) => ({ ...root, content: entry as IDataObject[string] }));
	}
	const context = contextOf(job, result, asked);
	if (ofEntries) {
		// A list that was only found because no other has entries may be the wrong one.
		const isCertain = Boolean(choice.contentList) || namesFor(topic).includes(list?.name ?? '');
		const entries = partsOfEntries(context, content, list, isCertain);
		return entries.map((parts) => shapedRow(parts, choice, FIRST_OF_ENTRY, remarks));
	}
	const prices = pricesOf(result, choice, remarks, asked);
	const parts = partsOfResult(context, content, prices);
	return [shapedRow(parts, choice, ['name', ...Object.keys(prices)], remarks)];
}

/** The columns of the best price of a result, and of what the item compares it with. */
function pricesOf(result: Result, choice: RowChoice, remarks: Remarks, asked?: Asked): IDataObject {
	const echoed = result.query?.condition;
	const compared = comparePrices(result.success ? result.content : undefined, choice.bestPrice, {
		topic: topicOf(result, asked),
		contentList: choice.contentList,
		// An echo can be the service's default as well, so that only what it says for certain counts.
		condition: asked?.parameters ? asked.parameters.condition : conditionClass(echoed),
	});
	remarks.noteComparison(result, compared);
	if (choice.given === undefined) return { ...compared.best };
	const { columns, unclear } = compareGiven(choice.given, compared);
	remarks.noteGiven(unclear);
	return { ...compared.best, ...columns };
}

/** Columns that hold a price of the service, under whatever prefix: `price`, `min_price`, `content_price`. */
const PRICE = /(?:^|_)(?:price|price_with_shipping|shipping_costs|rrp|tax)$/;

/** Makes the service's prices in a row numbers where that is exact. A currency in a text would be lost with it. */
function makeNumbers(row: IDataObject, remarks: Remarks): void {
	for (const [name, given] of Object.entries(row)) {
		if (!PRICE.test(name) || typeof given !== 'string' || given.trim() === '') continue;
		const amount = amountOf(given, currencyOf(row.currency));
		if (amount !== undefined && /^[\d.,\s'’]+$/u.test(given)) row[name] = amount.value;
		else remarks.noteText(name, given);
	}
}

/** A row with the columns that the user wants. */
function shapedRow(
	parts: RowParts,
	{ columns, fields, output, priceFormat }: RowChoice,
	first: readonly string[],
	remarks: Remarks,
): IDataObject {
	const row = columns === 'main' ? mainRow(parts, output, first) : flatRow(parts, first);
	if (priceFormat === 'number') makeNumbers(row, remarks);
	if (columns !== 'selected' || fields === undefined) return row;
	remarks.noteColumns(row);
	return withColumns(row, fields);
}

/** Columns of prices, which are no fields of a content. */
const PRICES = { ...NO_PRICE, ...NO_COMPARISON };

/** The columns that matter most, so that a row is one line of a table: none is nested. */
function mainRow(parts: RowParts, output: RowChoice['output'], first: readonly string[]): IDataObject {
	const [{ topic } = {}, prices = {}] = parts;
	const compared = Object.keys(NO_COMPARISON).filter((name) => first.includes(name));
	const namesWith = (main: readonly string[]) => ['value', 'found', 'name', ...main, ...compared, 'reason'];
	const known = topicTraits(typeof topic === 'string' ? topic : undefined).main?.[output];
	if (known !== undefined) return plainRow(parts, namesWith(known));
	if (prices.priced_offers) return plainRow(parts, namesWith(TOPICS.product_and_offers.main.results));
	const row = flatRow(parts, first);
	return withColumns(row, namesWith(plainFields(row, PRICES)));
}

/** What a result says of the parameters that it was asked with, besides the value. */
export function echoOf(parameters: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => ECHOED.includes(name)));
}

/** The result of a value that the service gave none for, or that was not sent: a failed one. */
export function withoutAnswer(query: ResultQuery, reason: string): Result {
	return { query, success: false, reason, found: false };
}

/** What to say about a failed result; undefined when it succeeded. */
export function failedResult(result: Result, asked?: Asked): FailedResult | undefined {
	if (result.success) return undefined;
	const { value } = contextOf({ job_id: '', status: '' }, result, asked);
	return {
		value: typeof value === 'string' ? value : null,
		reason: result.reason || 'the service gave no reason',
	};
}

/** Results made into rows at a stretch before n8n's event loop gets its turn: each can have a thousand offers to compare. */
const RESULTS_AT_A_STRETCH = 50;

/** Rows, and the failed result that stops them when the user chose so. */
export interface Rendered {
	rows: IDataObject[];
	failed?: FailedResult;
}

/** The one renderer of results, for all operations and triggers; it gathers what a user should know about the rows. */
export class Renderer {
	readonly remarks: Remarks;
	private done = 0;

	/** @param fields the columns that the user chose */
	constructor(
		private readonly clock: Pick<Clock, 'yieldToEventLoop'>,
		fields?: readonly string[],
	) {
		this.remarks = new Remarks(fields);
	}

	/** Results of a job as rows, in their order. */
	async render(
		job: RowJob,
		results: readonly Result[],
		choice: RowChoice,
		asked?: Asked,
	): Promise<Rendered> {
		const rows: IDataObject[] = [];
		for (const result of results) {
			if (++this.done % RESULTS_AT_A_STRETCH === 0) await this.clock.yieldToEventLoop();
			const failed = choice.onFailedResult === 'error' ? failedResult(result, asked) : undefined;
			if (failed !== undefined) return { rows: [], failed };
			for (const row of rowsOf(job, result, choice, asked, this.remarks)) rows.push(row);
		}
		return { rows };
	}
}
