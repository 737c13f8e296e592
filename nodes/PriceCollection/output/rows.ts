import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/time';
import { topicTraits, TOPICS } from '../service/topics';
import type { Result, ResultQuery } from '../service/types';
import { amountOf, currencyOf } from './amounts';
import { comparePrices, type BestPriceOptions } from './bestPrice';
import { NO_COMPARISON, NO_PRICE, plainFields, withColumns } from './columns';
import { compareGiven, type GivenPrices } from './comparison';
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
	type RequestedValue,
	type RowJob,
	type RowParts,
} from './flatten';
import { Remarks } from './remarks';

/** How the user wants results to become items. */
export interface RowChoice {
	output: 'entries' | 'results';
	/** `main`: up to ten plain columns. `selected`: `fields`. `raw`: the service's own structure. */
	columns: 'all' | 'main' | 'raw' | 'selected';
	/** The selected columns, in this order. */
	fields?: readonly string[];
	/** `number`: prices as numbers if exact; otherwise as the service returns them. */
	priceFormat?: 'number' | 'text';
	includeNotFound: boolean;
	/** For `error`, the caller must fail the item first, see `failedResult`. */
	onFailedResult: 'error' | 'include' | 'skip';
	/** Name of the list in the content; detected automatically when absent or blank. */
	contentList?: string;
	/** Which offers count for the best price. */
	bestPrice: BestPriceOptions;
	/** The item's own prices. */
	given?: GivenPrices;
}

/** The data for an error about a failed result. */
export interface FailedResult {
	value: string | null;
	reason: string;
}

/** Parameters that the service echoes in a result. Others, such as the callback URL, stay out of items. */
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
 * if results of its kind are excluded. Nested data is shared with the result, not copied.
 *
 * @param remarks collects what the user should know about the rows
 */
export function rowsOf(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	asked?: RequestedValue,
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
		// The entry replaces the content that contained the list.
		return list.entries.map((entry) => ({ ...root, content: entry as IDataObject[string] }));
	}
	const context = contextOf(job, result, asked);
	if (ofEntries) {
		// A list that is only used for lack of others may be the wrong one.
		const isCertain = Boolean(choice.contentList) || namesFor(topic).includes(list?.name ?? '');
		const entries = partsOfEntries(context, content, list, isCertain);
		return entries.map((parts) => shapedRow(parts, choice, FIRST_OF_ENTRY, remarks));
	}
	const prices = pricesOf(result, choice, remarks, asked);
	const parts = partsOfResult(context, content, prices);
	return [shapedRow(parts, choice, ['name', ...Object.keys(prices)], remarks)];
}

/** The columns of a result's best price and of the comparison with the item's prices. */
function pricesOf(result: Result, choice: RowChoice, remarks: Remarks, asked?: RequestedValue): IDataObject {
	const echoed = result.query?.condition;
	const compared = comparePrices(result.success ? result.content : undefined, choice.bestPrice, {
		topic: topicOf(result, asked),
		contentList: choice.contentList,
		// An echo may be the service's default, so it only counts if its class is known.
		condition: asked?.parameters ? asked.parameters.condition : conditionClass(echoed),
	});
	remarks.noteComparison(result, compared);
	if (choice.given === undefined) return { ...compared.best };
	const { columns, unclear } = compareGiven(choice.given, compared);
	remarks.noteGiven(unclear);
	return { ...compared.best, ...columns };
}

/** Price columns of the service with any prefix: `price`, `min_price`, `content_price`. */
const PRICE = /(?:^|_)(?:price|price_with_shipping|shipping_costs|rrp|tax)$/;

/** Converts a row's price texts to exact numbers. Text with a currency stays, to keep the currency. */
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

/** Price columns, which are not fields of a content. */
const PRICES = { ...NO_PRICE, ...NO_COMPARISON };

/** The most important columns, none of them nested, so that a row is one line of a table. */
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

/** The parameters of a request that a result would echo, except the value. */
export function echoOf(parameters: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => ECHOED.includes(name)));
}

/** A failed result for a value that was not sent or not answered. */
export function withoutAnswer(query: ResultQuery, reason: string): Result {
	return { query, success: false, reason, found: false };
}

/** The data for an error about a failed result; undefined when it succeeded. */
export function failedResult(result: Result, asked?: RequestedValue): FailedResult | undefined {
	if (result.success) return undefined;
	const { value } = contextOf({ job_id: '', status: '' }, result, asked);
	return {
		value: typeof value === 'string' ? value : null,
		reason: result.reason || 'the service gave no reason',
	};
}

/** Results rendered before n8n's event loop gets its turn: each may have a thousand offers. */
const RESULTS_AT_A_STRETCH = 50;

/** Rows, or the failed result that stops them if the user chose so. */
export interface Rendered {
	rows: IDataObject[];
	failed?: FailedResult;
}

/** The only renderer of results, for all operations and triggers; collects remarks about the rows. */
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

	/** Renders results of a job as rows, in their order. */
	async render(
		job: RowJob,
		results: readonly Result[],
		choice: RowChoice,
		asked?: RequestedValue,
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
