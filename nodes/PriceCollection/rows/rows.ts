import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/time';
import type { FieldNames } from '../service/fieldNames';
import { CONTENT_NAMES, fieldsNamed, reading, words } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import {
	type Result,
	type ResultQuery,
	echoedValue,
	isFilled,
	SUCCESS_UNKNOWN,
	wordOf,
} from '../service/types';
import { repeated } from '../values/cells';
import { gtinInSheets } from '../values/gtin';
import { amountOf, currencyOf, isSameCurrency } from './amounts';
import { comparePrices } from './bestPrice';
import { flatRow, mainRow, topicOf, type RowParts } from './columns';
import { compareGiven, type GivenPrices } from './comparison';
import { conditionClass } from './conditions';
import {
	entryFields,
	besideEntries,
	contentListOf,
	entriesOf,
	hasEntries,
	isFound,
	placedHolders,
	type AboutContent,
	type ContentList,
} from './contentList';
import { ContentReader, NO_LEVELS, placed, type Levels, type Placed } from './contentReader';
import { entryReasons, noEntries, unlistedText } from './entryReasons';
import { NO_PRICE, usualCurrency, type BestPriceOptions } from './offers';
import { asReason, priceReasons, TEST_DATA } from './reasons';
import { Remarks } from './remarks';
import { StepRunner, type Steps } from './steps';

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
	givenPrices?: GivenPrices;
}

/** The job of a row; null if nothing was sent. */
export interface RowJob {
	job_id: string | null;
	status: string | null;
}

/** The requested value, if the run knows it (`collect`). */
export interface RequestedValue {
	/** As spelt in the input item, so that rows can be matched to its sheet. */
	value: string;
	/** The wire parameters of the planned job, for values that the service does not echo. */
	parameters?: IDataObject;
}

/** The data for an error about a failed result. */
export interface FailedResult {
	value: string | null;
	reason: string;
}

/** Of a result that failed without a word. */
const NO_REASON = 'the service gave no reason';

/** Parameters that the service echoes in a result. Others, such as the callback URL, stay out of items. */
const ECHOED = words('source country topic key max_pages max_age sort_by condition shipping');

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
	const value = lookedUpValue(result, asked);
	return {
		value,
		reason: result.reason || NO_REASON,
	};
}

/** What was asked for, as the item has it, or else as the service echoes it. */
function lookedUpValue({ query }: Result, asked?: RequestedValue): string | null {
	const echo = echoedValue(query);
	const key = query?.key ?? asked?.parameters?.key;
	return asked?.value ?? (echo && key === 'gtin' ? gtinInSheets(echo) : echo) ?? null;
}

/** What was asked for, as a row repeats it. */
function shownValue(result: Result, asked?: RequestedValue): string | null {
	const value = lookedUpValue(result, asked);
	return value === null ? null : repeated(value);
}

/** The columns of every flat row; `asked` supplies the value and what the service does not echo. */
function contextOf(job: RowJob, result: Result, reader: ContentReader, asked?: RequestedValue): IDataObject {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? asked?.parameters?.[name] ?? null;
	const metadata = reading(result.metadata ?? {});
	const topic = topicOf({ topic: echoed('topic') });
	return {
		job_id: job.job_id,
		topic: topic ?? null,
		source: echoed('source'),
		country: echoed('country'),
		key: echoed('key'),
		value: shownValue(result, asked),
		success: result.success,
		found: isFound(result, reader, topic),
		reason: result.reason ?? null,
		from_cache: (metadata('fromCache') as IDataObject[string]) ?? null,
		collected_at: (metadata('updatedAt') as IDataObject[string]) ?? null,
	};
}

/** How long a result takes besides its entries. */
const ENTRIES_PER_RESULT = 20;

/** How the service that results come from is read. */
export interface RowSource {
	reader: ContentReader;
	/** The source of the service that costs nothing and whose prices are made up. */
	testSource?: string;
}

/** How many fields beside a missing content a reason names. */
const MOST_BESIDE = 6;

/**
 * The parts of a reason that concern a whole result: that its data is made up, the service's words, or else why there is
 * nothing.
 *
 * @param isTest whether its data is made up
 * @param others the fields that came in the place of a content
 */
function reasonsOfResult(
	{ reason, success }: Result,
	isFound: boolean,
	isTest: boolean,
	others: IDataObject,
): Array<string | undefined> {
	const names = Object.keys(others).slice(0, MOST_BESIDE).join(', ');
	const beside =
		names === '' ? undefined : repeated(`no content, although these fields came beside it: ${names}`);
	const unsaid = success ? (isFound ? undefined : (beside ?? 'not found')) : NO_REASON;
	return [
		isTest ? TEST_DATA : undefined,
		reason || unsaid,
		reason === SUCCESS_UNKNOWN ? beside : undefined,
	];
}

/** A result as its rows are made. */
interface ResultAtWork extends Pick<RowParts, 'context' | 'meaning' | 'reader'> {
	result: Result;
	choice: RowChoice;
	/** What its lists and offers are looked for by. */
	about: AboutContent;
	remarks: Remarks;
	/** Whether its data is made up by the test source. */
	isTest: boolean;
	/** What its rows say in any case. */
	reasons: ReadonlyArray<string | undefined>;
	/** The content and the product in it, and their fields. */
	beside: readonly Placed[];
	around: readonly IDataObject[];
}

const asRow = (parts: RowParts, { columns }: RowChoice) =>
	columns === 'main' ? mainRow(parts) : flatRow(parts);

/** Whether a row has a column of the best price: main columns of reviews have none. */
function hasBestPrice({ columns, fields = [] }: RowChoice, topic?: string): boolean {
	if (columns === 'selected') return fields.some((name) => Object.hasOwn(NO_PRICE, name));
	return columns === 'all' || (topicTraits(topic).main?.includes('best_price') ?? true);
}

/** Why a content that was found has no entries; undefined where it has some. */
function whyNoEntries({ about, reader, result }: ResultAtWork, list: ContentList | undefined) {
	if (list !== undefined && hasEntries(list)) return undefined;
	return noEntries(result.content, list !== undefined, about, reader);
}

/** What a row says of a content without entries. */
const toldOf = (none: ReturnType<typeof whyNoEntries>) => ({
	said: none === undefined ? [] : [none.reason],
	isUnread: none?.isUnread === true,
});

/** The row of a whole result, with its best price. */
function* resultRow(work: ResultAtWork, parameters?: IDataObject): Steps<IDataObject> {
	const { about, choice, context, reader, remarks, result } = work;
	const { columns, ...ofPrices } = yield* pricesOf(work, parameters);
	const told = hasBestPrice(choice, about.topic)
		? ofPrices
		: toldOf(whyNoEntries(work, contentListOf(result.content, reader, about)));
	const isSaid = context.found === true;
	if (isSaid && told.isUnread) remarks.note('unread', result);
	const reason = asReason(work.reasons, isSaid ? told.said : []);
	return asRow({ ...work, context: { ...context, reason }, prices: columns }, choice);
}

/** The row of a result that has no entries. */
function rowWithoutEntries(work: ResultAtWork, list?: ContentList): IDataObject {
	const { choice, context, remarks, result } = work;
	const told = toldOf(context.found === true ? whyNoEntries(work, list) : undefined);
	if (told.isUnread) remarks.note('unread', result);
	const reason = asReason(work.reasons, told.said);
	const around =
		list === undefined ? work.around : besideEntries(list.groups[0]?.levels ?? NO_LEVELS, false);
	return asRow({ ...work, context: { ...context, reason }, around }, choice);
}

/** A row for each entry of a list. */
function* entryRows(work: ResultAtWork, list: ContentList): Steps<IDataObject[]> {
	const { about, choice, context, meaning, reader, remarks, result } = work;
	const rows: IDataObject[] = [];
	const unlisted = unlistedText(result.content, about, reader);
	if (unlisted !== undefined) remarks.note('unread', result);
	const common = unlisted === undefined ? [] : [unlisted];
	const reason = asReason(work.reasons, common);
	let known: ReturnType<typeof surroundings> | undefined;
	for (const { entry, levels } of entriesOf(list)) {
		yield 1;
		// The entries of one list lie in the same objects.
		if (known?.levels !== levels) known = surroundings(levels, work.beside, reader);
		const one = placed(entryFields(entry, 'entry'), levels);
		const said = choice.columns === 'main' ? entryReasons(one, meaning, reader, known.usual) : [];
		if (said.length > 0) remarks.note('unread', one);
		const own = said.length === 0 ? reason : asReason(work.reasons, [...common, ...said]);
		rows.push(asRow({ ...work, ...known, context: { ...context, reason: own }, entry: one }, choice));
	}
	return rows;
}

/**
 * The rows of one result: one, or with `entries` one per entry of its content's list (at least one), or none
 * if results of its kind are excluded. Nested data is shared with the result, not copied.
 *
 * @param remarks collects what the user should know about the rows
 */
export function* rowsOf(
	job: RowJob,
	result: Result,
	choice: RowChoice,
	origin: RowSource,
	asked?: RequestedValue,
	remarks = new Remarks(),
): Steps<IDataObject[]> {
	yield ENTRIES_PER_RESULT;
	const { content, success } = result;
	const { reader } = origin;
	const context = contextOf(job, result, reader, asked);
	const topic = topicOf(context);
	if (!success && choice.onFailedResult === 'skip') return [];
	if (success && !choice.includeNotFound && !context.found) return [];
	const ofEntries = choice.output === 'entries';
	const about = { topic, contentList: choice.contentList };
	const list = ofEntries ? contentListOf(content, reader, about) : undefined;
	const listed = list !== undefined && hasEntries(list) ? list : undefined;
	if (choice.columns === 'raw') {
		const root = { job_id: job.job_id, status: job.status, ...result };
		if (listed === undefined) return [root];
		// The entry replaces the content that contained the list.
		const entries = [...entriesOf(listed)].map(({ entry }) => entry as IDataObject[string]);
		return entries.map((entry) => ({ ...root, content: entry }));
	}
	const others = isFilled(content) ? {} : fieldsWithoutContent(result);
	const beside = placedHolders(content);
	const objects = beside.map(({ object }) => object);
	const isMain = choice.columns === 'main' && objects.length > 0;
	const isTest = origin.testSource !== undefined && wordOf(context.source) === wordOf(origin.testSource);
	const work: ResultAtWork = {
		...{ result, choice, about, remarks, context, reader, beside, isTest },
		meaning: list?.meaning ?? meaningFor(topic),
		reasons: reasonsOfResult(result, context.found === true, isTest, others),
		around: isMain ? objects : [entryFields(content, 'content'), others],
	};
	const rows = listed
		? yield* entryRows(work, listed)
		: [ofEntries ? rowWithoutEntries(work, list) : yield* resultRow(work, asked?.parameters)];
	if (choice.priceFormat === 'number') for (const row of rows) makeNumbers(row, remarks);
	const { fields } = choice;
	if (choice.columns !== 'selected' || fields === undefined) return rows;
	return rows.map((row) => remarks.selected(row, fields));
}

/** What is beside entries, and the objects that have the name of their product. */
function surroundings(levels: Levels, holders: readonly Placed[], reader: ContentReader) {
	const outer = levels.flatMap(({ object, isEntry }, index) =>
		isEntry ? [] : [placed(object, levels.slice(index + 1))],
	);
	const others = holders.filter(({ object }) => outer.every((one) => one.object !== object));
	const beside = [...outer, ...others];
	return { levels, around: besideEntries(levels, true), beside, usual: usualCurrency(beside, reader) };
}

/** What the entries of a topic are, where it has just one kind. */
function meaningFor(topic: string | undefined): ListMeaning | undefined {
	const [only, ...others] = topicTraits(topic).lists;
	return others.length === 0 ? only : undefined;
}

/** The filled fields of a result without content that have no other meaning. */
function fieldsWithoutContent(result: Result): IDataObject {
	const meanings = ['query', 'success', 'metadata', 'content', 'reason'] as const;
	const known = new Set(meanings.flatMap((meaning) => fieldsNamed(result, meaning)));
	const isOther = ([name, value]: [string, unknown]) => !known.has(name) && isFilled(value);
	return Object.fromEntries(Object.entries(result).filter(isOther));
}

/** The columns of a result's best price and of the comparison with the item's prices, and what there is to say. */
function* pricesOf(
	{ about, choice, isTest, reader, remarks, result }: ResultAtWork,
	parameters?: IDataObject,
): Steps<{ columns: IDataObject; said: string[]; isUnread: boolean }> {
	const content = result.success ? result.content : undefined;
	// An echo may be the service's default, so it only counts if its class is known.
	const condition = parameters ? parameters.condition : conditionClass(result.query?.condition);
	const asked = { ...about, condition };
	const compared = yield* comparePrices(content, choice.bestPrice, asked, reader);
	if (compared.otherCurrencies.length > 0) remarks.note('otherCurrencies', result);
	const said = priceReasons(compared, choice.bestPrice.currency);
	const isUnread = compared.troubles.length > 0 || compared.unnamed.length > 0;
	if (choice.givenPrices === undefined) return { columns: { ...compared.best }, said, isUnread };
	const { isPreviousTest, ...given } = choice.givenPrices;
	// A made-up price is compared with made-up ones only.
	const isOther = isPreviousTest !== undefined && isPreviousTest !== isTest;
	if (isOther && given.previous !== null) remarks.note('previousTest', {});
	const { columns, unclear } = compareGiven(isOther ? { ...given, previous: null } : given, compared);
	// A result may answer several items with different prices, so each is counted.
	for (const [kind, price] of Object.entries(unclear))
		// The first run has no previous prices.
		if (kind !== 'previous' || price !== null)
			remarks.note(kind as keyof typeof unclear, {}, price === null ? [] : [`"${String(price)}"`]);
	return { columns: { ...compared.best, ...columns }, said, isUnread };
}

/** The service's price columns, also with a prefix: `content_price`. */
const PRICE_COLUMN = new RegExp(
	`(?:^|_)(?:${[CONTENT_NAMES.price, CONTENT_NAMES.total, CONTENT_NAMES.shipping, 'rrp', 'tax'].flat().join('|')})$`,
);

/** Converts a row's price texts to exact numbers. One with a currency stays, unless the row has that currency. */
function makeNumbers(row: IDataObject, remarks: Remarks): void {
	for (const name of Object.keys(row)) {
		const given = row[name];
		if (typeof given !== 'string' || !PRICE_COLUMN.test(name) || given.trim() === '') continue;
		const currency = currencyOf(row.currency);
		const amount = amountOf(given, currency);
		const isSaid = amount?.currency === undefined || isSameCurrency(amount.currency, currency);
		if (amount !== undefined && isSaid) row[name] = amount.value;
		else remarks.note('text', {}, [`"${given}" in ${name}`]);
	}
}

/** The service whose results are rendered. */
export interface ServiceOfRows {
	clock: Pick<Clock, 'yieldToEventLoop'>;
	connection: { fieldNames: FieldNames; testSource: string };
}

/** The only renderer of results, for all operations and triggers; collects remarks about the rows. */
export class Renderer {
	readonly remarks = new Remarks();
	/** Also for what is done with the rows afterwards. */
	readonly runner: StepRunner;
	/** How the service is read. */
	readonly origin: Required<RowSource>;

	constructor({ clock, connection: { fieldNames, testSource } }: ServiceOfRows) {
		this.runner = new StepRunner(clock);
		this.origin = { reader: new ContentReader(fieldNames), testSource };
	}

	/**
	 * Renders results of a job as rows, in their order.
	 *
	 * @returns also the failed result that stops them, if the user chose so
	 */
	async render(
		job: RowJob,
		results: readonly Result[],
		choice: RowChoice,
		asked?: RequestedValue,
	): Promise<{ rows: IDataObject[]; failed?: FailedResult }> {
		const rows: IDataObject[] = [];
		for (const result of results) {
			const failed = choice.onFailedResult === 'error' ? failedResult(result, asked) : undefined;
			if (failed !== undefined) return { rows: [], failed };
			const made = await this.runner.run(rowsOf(job, result, choice, this.origin, asked, this.remarks));
			for (const row of made) rows.push(row);
		}
		return { rows };
	}
}
