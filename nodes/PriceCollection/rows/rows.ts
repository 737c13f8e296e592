import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/time';
import type { FieldNames } from '../service/fieldNames';
import { CONTENT_NAMES, fieldsNamed, reading, words, type ListMeaning } from '../service/names';
import { topicTraits } from '../service/topics';
import { type Result, type ResultQuery, echoedValue, isFilled, wordOf } from '../service/types';
import { repeated } from '../values/cells';
import { gtinInSheets } from '../values/gtin';
import { amountOf, currencyOf, isSameCurrency } from './amounts';
import { comparePrices } from './bestPrice';
import { flatRow, mainRow, topicOf, type RowParts } from './columns';
import { compareInputPrices, type InputPrices } from './comparison';
import { requestedCondition } from './conditions';
import {
	entryFields,
	besideEntries,
	contentListOf,
	entriesOf,
	hasEntries,
	isFound,
	locatedHolders,
	type AboutContent,
	type ContentList,
} from './contentList';
import { ContentReader, NO_LEVELS, located, type Levels, type Located } from './contentReader';
import { entryReasons, noEntries, unlistedText } from './entryReasons';
import { NO_PRICE, usualCurrency, type BestPriceOptions } from './offers';
import { asReason, NO_REASON, priceReasons, reasonsOfResult } from './reasons';
import { Remarks } from './remarks';
import { StepRunner, type Steps } from './steps';

/** The user's choice of how results become items. */
export interface RowChoice {
	output: 'entries' | 'results';
	/** `main`: the most important plain columns. `selected`: `fields`. `raw`: the service's structure. */
	columns: 'all' | 'main' | 'raw' | 'selected';
	/** The selected columns, in this order. */
	fields?: readonly string[];
	/** `number`: prices become numbers if that is exact. Otherwise they stay as the service returns them. */
	priceFormat?: 'number' | 'text';
	includeNotFound: boolean;
	/** For `error`, the caller must check `failedResult` before it makes rows. */
	onFailedResult: 'error' | 'include' | 'skip';
	/** Path of the list in the content, or several with commas; detected automatically if absent or blank. */
	contentList?: string;
	/** Which offers count for the best price. */
	bestPrice: BestPriceOptions;
	/** The input item's prices to compare. */
	inputPrices?: InputPrices;
}

/** A row's job; its fields are null if nothing was sent. */
export interface RowJob {
	job_id: string | null;
	status: string | null;
}

/** The requested value, if the run knows it. */
export interface RequestedValue {
	/** As in the input item, so that rows can be matched to its sheet; a GTIN as plain digits. */
	value: string;
	/** The job's request parameters, for what the service does not echo. */
	parameters?: IDataObject;
}

/** The data for an error about a failed result. */
export interface FailedResult {
	value: string | null;
	reason: string;
}

/** Request parameters that a result echoes. Others, such as the callback URL, stay out of items. */
const ECHOED = words('source country topic key max_pages max_age sort_by condition shipping');

/** Returns the request parameters that a result would echo, except the value. */
export function echoOf(parameters: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => ECHOED.includes(name)));
}

/** Creates a failed result for a value that was not sent or not answered. */
export function withoutAnswer(query: ResultQuery, reason: string): Result {
	return { query, success: false, reason, found: false };
}

/** Returns the data for an error about a failed result; undefined if the result succeeded. */
export function failedResult(result: Result, requested?: RequestedValue): FailedResult | undefined {
	if (result.success) return undefined;
	const value = lookedUpValue(result, requested);
	return {
		value,
		reason: result.reason || NO_REASON,
	};
}

/** Returns the lookup value as the item has it, or else as the service echoes it. */
function lookedUpValue({ query }: Result, requested?: RequestedValue): string | null {
	const echo = echoedValue(query);
	const key = query?.key ?? requested?.parameters?.key;
	return requested?.value ?? (echo && key === 'gtin' ? gtinInSheets(echo) : echo) ?? null;
}

/** Returns the lookup value as a row repeats it, which cuts long texts. */
function shownValue(result: Result, requested?: RequestedValue): string | null {
	const value = lookedUpValue(result, requested);
	return value === null ? null : repeated(value);
}

/** Creates the job columns of every flat row; `requested` supplies the value and what the service does not echo. */
function jobColumnsOf(
	job: RowJob,
	result: Result,
	reader: ContentReader,
	requested?: RequestedValue,
): IDataObject {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? requested?.parameters?.[name] ?? null;
	const metadata = reading(result.metadata ?? {});
	const topic = topicOf({ topic: echoed('topic') });
	return {
		job_id: job.job_id,
		topic: topic ?? null,
		source: echoed('source'),
		country: echoed('country'),
		key: echoed('key'),
		value: shownValue(result, requested),
		success: result.success,
		found: isFound(result, reader, topic),
		reason: result.reason ?? null,
		from_cache: (metadata('fromCache') as IDataObject[string]) ?? null,
		collected_at: (metadata('updatedAt') as IDataObject[string]) ?? null,
	};
}

/** A result itself takes as long as this many entries, see `Steps`. */
const RESULT_STEPS = 20;

/** The service that results come from. */
export interface RowOrigin {
	reader: ContentReader;
	/** The service's free source, whose prices are made up. */
	testSource?: string;
}

/** A result while its rows are made. */
interface ResultWork extends Pick<RowParts, 'jobColumns' | 'meaning' | 'reader'> {
	result: Result;
	choice: RowChoice;
	/** Facts that help to find its lists and offers. */
	about: AboutContent;
	remarks: Remarks;
	/** Whether its data is made up by the test source. */
	isTest: boolean;
	/** The reasons that all of its rows share. */
	reasons: ReadonlyArray<string | undefined>;
	/** The content and the product in it, and the fields to show from them. */
	beside: readonly Located[];
	around: readonly IDataObject[];
}

const asRow = (parts: RowParts, { columns }: RowChoice) =>
	columns === 'main' ? mainRow(parts) : flatRow(parts);

/** Whether rows have a best price column. The main columns of some topics, such as reviews, have none. */
function hasBestPrice({ columns, fields = [] }: RowChoice, topic?: string): boolean {
	if (columns === 'selected') return fields.some((name) => Object.hasOwn(NO_PRICE, name));
	return columns === 'all' || (topicTraits(topic).main?.includes('best_price') ?? true);
}

/** Returns why a content has no entries; undefined if it has some. */
function whyNoEntries({ about, reader, result }: ResultWork, list: ContentList | undefined) {
	if (list !== undefined && hasEntries(list)) return undefined;
	return noEntries(result.content, list !== undefined, about, reader);
}

/** Converts the answer of `whyNoEntries` to texts for the row's reason. */
const notesOn = (none: ReturnType<typeof whyNoEntries>) => ({
	texts: none === undefined ? [] : [none.reason],
	isUnread: none?.isUnread === true,
});

/** Makes the row of a whole result, with its best price. */
function* resultRow(work: ResultWork, parameters?: IDataObject): Steps<IDataObject> {
	const { about, choice, jobColumns, reader, remarks, result } = work;
	const { columns, ...priceNotes } = yield* pricesOf(work, parameters);
	const notes = hasBestPrice(choice, about.topic)
		? priceNotes
		: notesOn(whyNoEntries(work, contentListOf(result.content, reader, about)));
	const wasFound = jobColumns.found === true;
	if (wasFound && notes.isUnread) remarks.note('unread', result);
	const reason = asReason(work.reasons, wasFound ? notes.texts : []);
	return asRow({ ...work, jobColumns: { ...jobColumns, reason }, prices: columns }, choice);
}

/** Makes the row of a result that has no entries. */
function rowWithoutEntries(work: ResultWork, list?: ContentList): IDataObject {
	const { choice, jobColumns, remarks, result } = work;
	const notes = notesOn(jobColumns.found === true ? whyNoEntries(work, list) : undefined);
	if (notes.isUnread) remarks.note('unread', result);
	const reason = asReason(work.reasons, notes.texts);
	const around =
		list === undefined ? work.around : besideEntries(list.groups[0]?.levels ?? NO_LEVELS, false);
	return asRow({ ...work, jobColumns: { ...jobColumns, reason }, around }, choice);
}

/** Makes a row for each entry of a list. */
function* entryRows(work: ResultWork, list: ContentList): Steps<IDataObject[]> {
	const { about, choice, jobColumns, meaning, reader, remarks, result } = work;
	const rows: IDataObject[] = [];
	const unlisted = unlistedText(result.content, about, reader);
	if (unlisted !== undefined) remarks.note('unread', result);
	const common = unlisted === undefined ? [] : [unlisted];
	const reason = asReason(work.reasons, common);
	let outer: ReturnType<typeof surroundings> | undefined;
	for (const { entry, levels } of entriesOf(list)) {
		yield 1;
		// Entries of the same list share the objects around them.
		if (outer?.levels !== levels) outer = surroundings(levels, work.beside, reader);
		const locatedEntry = located(entryFields(entry, 'entry'), levels);
		const texts =
			choice.columns === 'main' ? entryReasons(locatedEntry, meaning, reader, outer.usual) : [];
		if (texts.length > 0) remarks.note('unread', locatedEntry);
		const entryReason = texts.length === 0 ? reason : asReason(work.reasons, [...common, ...texts]);
		rows.push(
			asRow(
				{
					...work,
					...outer,
					jobColumns: { ...jobColumns, reason: entryReason },
					entry: locatedEntry,
				},
				choice,
			),
		);
	}
	return rows;
}

/**
 * Makes the rows of one result: a single one, or with `entries` one per entry of the content's list (at least one). There
 * are none if results of its kind are excluded. Nested data is shared with the result, not copied.
 *
 * @param remarks collects what the user should know about the rows
 */
export function* rowsOf(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	origin: RowOrigin,
	requested?: RequestedValue,
	remarks = new Remarks(),
): Steps<IDataObject[]> {
	yield RESULT_STEPS;
	const { content, success } = result;
	const { reader } = origin;
	const jobColumns = jobColumnsOf(job, result, reader, requested);
	const topic = topicOf(jobColumns);
	if (!success && choice.onFailedResult === 'skip') return [];
	if (success && !choice.includeNotFound && !jobColumns.found) return [];
	const wantsEntries = choice.output === 'entries';
	const about = { topic, contentList: choice.contentList };
	const list = wantsEntries ? contentListOf(content, reader, about) : undefined;
	const listed = list !== undefined && hasEntries(list) ? list : undefined;
	if (choice.columns === 'raw') {
		const root = { job_id: job.job_id, status: job.status, ...result };
		if (listed === undefined) return [root];
		// The entry replaces the content that contained the list.
		const entries = [...entriesOf(listed)].map(({ entry }) => entry as IDataObject[string]);
		return entries.map((entry) => ({ ...root, content: entry }));
	}
	const others = isFilled(content) ? {} : fieldsWithoutContent(result);
	const beside = locatedHolders(content);
	const objects = beside.map(({ object }) => object);
	const isMain = choice.columns === 'main' && objects.length > 0;
	const isTest = origin.testSource !== undefined && wordOf(jobColumns.source) === wordOf(origin.testSource);
	const work: ResultWork = {
		...{ result, choice, about, remarks, jobColumns, reader, beside, isTest },
		meaning: list?.meaning ?? meaningFor(topic),
		reasons: reasonsOfResult(result, jobColumns.found === true, isTest, others),
		around: isMain ? objects : [entryFields(content, 'content'), others],
	};
	const rows = listed
		? yield* entryRows(work, listed)
		: [wantsEntries ? rowWithoutEntries(work, list) : yield* resultRow(work, requested?.parameters)];
	if (choice.priceFormat === 'number') for (const row of rows) makeNumbers(row, remarks);
	const { fields } = choice;
	if (choice.columns !== 'selected' || fields === undefined) return rows;
	return rows.map((row) => remarks.selected(row, fields));
}

/** Returns the fields around entries, the objects that may hold their product's name, and their usual currency. */
function surroundings(levels: Levels, holders: readonly Located[], reader: ContentReader) {
	const outer = levels.flatMap(({ object, isEntry }, index) =>
		isEntry ? [] : [located(object, levels.slice(index + 1))],
	);
	const others = holders.filter(({ object }) => outer.every((one) => one.object !== object));
	const beside = [...outer, ...others];
	return { levels, around: besideEntries(levels, true), beside, usual: usualCurrency(beside, reader) };
}

/** Returns the kind of a topic's entries, if it has just one. */
function meaningFor(topic: string | undefined): ListMeaning | undefined {
	const [only, ...others] = topicTraits(topic).lists;
	return others.length === 0 ? only : undefined;
}

/** Returns a result's filled fields that have no known meaning. */
function fieldsWithoutContent(result: Result): IDataObject {
	const meanings = ['query', 'success', 'metadata', 'content', 'reason'] as const;
	const known = new Set(meanings.flatMap((meaning) => fieldsNamed(result, meaning)));
	const isOther = ([name, value]: [string, unknown]) => !known.has(name) && isFilled(value);
	return Object.fromEntries(Object.entries(result).filter(isOther));
}

/** Returns the best price and comparison columns of a result, and texts for its row's reason. */
function* pricesOf(
	{ about, choice, isTest, reader, remarks, result }: ResultWork,
	parameters?: IDataObject,
): Steps<{ columns: IDataObject; texts: string[]; isUnread: boolean }> {
	const content = result.success ? result.content : undefined;
	const offerContext = { ...about, condition: requestedCondition(parameters, result) };
	const compared = yield* comparePrices(content, choice.bestPrice, offerContext, reader);
	if (compared.hasOtherCurrencies) remarks.note('otherCurrencies', result);
	const texts = priceReasons(compared, choice.bestPrice.currency);
	const isUnread = compared.unreadParts.length > 0 || compared.unnamed.length > 0;
	if (choice.inputPrices === undefined) return { columns: { ...compared.best }, texts, isUnread };
	const { isPreviousTest, ...prices } = choice.inputPrices;
	// A made-up price is only compared with other made-up prices.
	const isIncomparable = isPreviousTest !== undefined && isPreviousTest !== isTest;
	if (isIncomparable && prices.previous !== null) remarks.note('previousTest', {});
	const { columns, unclear } = compareInputPrices(
		isIncomparable ? { ...prices, previous: null } : prices,
		compared,
	);
	// A result may answer several items with different prices, so each case counts.
	for (const [kind, price] of Object.entries(unclear))
		// The first run has no previous prices.
		if (kind !== 'previous' || price !== null)
			remarks.note(kind as keyof typeof unclear, {}, price === null ? [] : [`"${String(price)}"`]);
	return { columns: { ...compared.best, ...columns }, texts, isUnread };
}

/** Matches the service's price columns, also with a prefix such as `content_`. */
const PRICE_COLUMN = new RegExp(
	`(?:^|_)(?:${[CONTENT_NAMES.price, CONTENT_NAMES.total, CONTENT_NAMES.shipping, 'rrp', 'tax'].flat().join('|')})$`,
);

/** Converts a row's price texts to numbers if that is exact. A price with a currency stays, unless the row has it too. */
function makeNumbers(row: IDataObject, remarks: Remarks): void {
	for (const name of Object.keys(row)) {
		const text = row[name];
		if (typeof text !== 'string' || !PRICE_COLUMN.test(name) || text.trim() === '') continue;
		const currency = currencyOf(row.currency);
		const amount = amountOf(text, currency);
		const isRowCurrency = amount?.currency === undefined || isSameCurrency(amount.currency, currency);
		if (amount !== undefined && isRowCurrency) row[name] = amount.value;
		else remarks.note('text', {}, [`"${text}" in ${name}`]);
	}
}

/** The service whose results are rendered. */
export interface RowService {
	clock: Pick<Clock, 'yieldToEventLoop'>;
	connection: { fieldNames: FieldNames; testSource: string };
}

/** Renders results as rows, for operations and triggers, and collects remarks about the rows. */
export class Renderer {
	readonly remarks = new Remarks();
	/** Also runs the steps that follow, such as combining rows with input fields. */
	readonly runner: StepRunner;
	/** The service that the results come from. */
	readonly origin: Required<RowOrigin>;

	constructor({ clock, connection: { fieldNames, testSource } }: RowService) {
		this.runner = new StepRunner(clock);
		this.origin = { reader: new ContentReader(fieldNames), testSource };
	}

	/**
	 * Renders a job's results as rows, in their order.
	 *
	 * @returns the rows, or the first failed result if the user chose to stop with an error
	 */
	async render(
		job: RowJob,
		results: readonly Result[],
		choice: RowChoice,
		requested?: RequestedValue,
	): Promise<{ rows: IDataObject[]; failed?: FailedResult }> {
		const rows: IDataObject[] = [];
		for (const result of results) {
			const failed = choice.onFailedResult === 'error' ? failedResult(result, requested) : undefined;
			if (failed !== undefined) return { rows: [], failed };
			const resultRows = await this.runner.run(
				rowsOf(job, result, choice, this.origin, requested, this.remarks),
			);
			for (const row of resultRows) rows.push(row);
		}
		return { rows };
	}
}
