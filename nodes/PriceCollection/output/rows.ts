import type { IDataObject } from 'n8n-workflow';
import type { Clock } from '../service/time';
import { fieldsNamed, reading, words } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import { type Result, type ResultQuery, echoedValue, isFilled, isObject, UNSAID } from '../service/types';
import { gtinInSheets } from '../values/gtin';
import { amountOf, currencyOf } from './amounts';
import { comparePrices, conditionClass, type BestPriceOptions } from './bestPrice';
import {
	columnsByTopics,
	COMPARISON,
	flatRow,
	mainRow,
	MAIN_OF_ENTRIES,
	topicOf,
	unreadIn,
	withColumns,
} from './columns';
import { compareGiven, type GivenPrices } from './comparison';
import { asFields, besideList, contentListOf, holdersIn, isFound, pathsToLists } from './contentList';
import { fieldsIn, StepRunner, type Steps } from './steps';

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

/** How many names a remark lists. */
const MOST_NAMES = 60;

function listed(names: readonly string[]): string {
	const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
	return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

function notCompared(count: number, field: string, names: readonly string[], what: string): string {
	const examples = names.length === 0 ? '' : `, such as ${listed(names)}`;
	return `In ${counted(count, 'row')} there is no ${what}: ${field} is missing or cannot be compared${examples}. It must be an amount above 0 in the currency of the best price.`;
}

/** What may have no name in any offer, see `unnamedIn` in `bestPrice`. */
const MISSING: readonly string[] = ['the condition', 'the shop', 'the shipping costs'];

/** Remarks, most important first, by number of cases and the names concerned. */
const REMARKS = {
	undecided: (count: number, names: string[]) =>
		`In ${counted(count, 'result')} several currencies have equally many offers (${listed(names)}), so there is no best price. Set Currency in Price Options.`,
	unclear: (count: number, names: string[]) =>
		`In ${counted(count, 'result')} it is not clear which list holds the offers or entries. ${names.length === 0 ? 'There is none in it.' : `These are in it: ${listed(names)}.`} Enter the right one as Content List in the options.`,
	ambiguous: (count: number, names: string[]) =>
		`In ${counted(count, 'result')} prices cannot be read in one way only, so these offers do not count: ${listed(names)}.`,
	otherConditions: (count: number, names: string[]) =>
		`In ${counted(count, 'result')} all prices are of offers that do not count by their condition (${listed(names)}), so there is no best price. New offers count, unless Conditions in Price Options names others.`,
	unnamed: (count: number, names: string[]) => {
		const missing = names.filter((name) => MISSING.includes(name));
		const fields = names.filter((name) => !MISSING.includes(name));
		return `In ${counted(count, 'result')} no offer has a known field for ${missing.join(', ')}, so this was not considered. The fields of these offers are: ${listed(fields)}.`;
	},
	own: (count: number, names: string[]) => notCompared(count, 'Own Price', names, 'gap'),
	previous: (count: number, names: string[]) => notCompared(count, 'Previous Price', names, 'change'),
	emptied: (count: number) =>
		`${counted(count, 'item')} had a best price or a reason before and ${count === 1 ? 'has' : 'have'} none now. If these rows go to Google Sheets or Excel, the old one stays in its cell: set Empty Values to Empty Text in the options. A data table needs Null.`,
	otherCurrencies: (count: number) =>
		`In ${counted(count, 'result')} offers in another currency than the best price, or without a currency, were not compared.`,
	unread: (count: number, names: string[]) =>
		`In ${counted(count, 'result')} a price or main columns are empty, and these fields are not in them: ${listed(names)}. Set Columns to All or Selected to get them.`,
	noContent: (count: number, names: string[]) =>
		`${counted(count, 'result')} ${count === 1 ? 'has' : 'have'} no content and ${count === 1 ? 'counts' : 'count'} as not found, but these fields came: ${listed(names)}. Set Columns to All or Raw to get them.`,
	unmatched: (count: number) =>
		`${counted(count, 'result')} could not be matched to a value: they are rows of their own, linked to all items of the job.`,
	text: (count: number, [example]: string[]) =>
		`${count} ${count === 1 ? 'price stays a text, because it' : 'prices stay texts, because they'} cannot be read exactly as a number, such as ${example}.`,
};

type RemarkKind = keyof typeof REMARKS;

/** Remarks about the rows of a run, collected while they are made: each is counted and shown once. */
export class Remarks {
	private readonly noted = new Map<
		RemarkKind,
		{ count: number; about: WeakSet<object>; names: Set<string> }
	>();
	/** The columns of all rows, and those of them that the user chose. */
	private readonly columns = new Set<string>();
	private fields: readonly string[] = [];

	/** Adds a remark; it counts once for whatever it is about, such as a result, which may be discarded. */
	note(kind: RemarkKind, about: object, names: readonly string[] = []): void {
		const noted = this.noted.get(kind) ?? { count: 0, about: new WeakSet(), names: new Set() };
		this.noted.set(kind, noted);
		if (!noted.about.has(about)) noted.count++;
		noted.about.add(about);
		for (const name of names) noted.names.add(name);
	}

	/** The columns that the user chose from a row; those that no row has are named. */
	selected(row: IDataObject, fields: readonly string[]): IDataObject {
		this.fields = fields;
		for (const name of Object.keys(row)) this.columns.add(name);
		return withColumns(row, fields);
	}

	/** The remarks as sentences for the user. */
	sentences(): string[] {
		const said = (Object.keys(REMARKS) as RemarkKind[]).flatMap((kind) => {
			const noted = this.noted.get(kind);
			return noted === undefined ? [] : [REMARKS[kind](noted.count, [...noted.names])];
		});
		const absent = this.fields.filter((name) => !this.columns.has(name));
		if (absent.length === 0) return said;
		// A column that services are known to have may be missing for a day.
		const known = columnsByTopics();
		const missing = absent.filter((name) => !known.has(name));
		if (missing.length === 0) return said;
		const columns = missing.length === 1 ? 'the column' : 'the columns';
		const chosen = missing.map((name) => `"${name}"`).join(', ');
		const there = `These are there: ${listed([...this.columns])}.`;
		return [`No row has ${columns} ${chosen}, chosen as Fields. ${there}`, ...said];
	}
}

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
	const { value } = contextOf({ job_id: '', status: '' }, result, asked);
	return {
		value: typeof value === 'string' ? value : null,
		reason: result.reason || 'the service gave no reason',
	};
}

/** The columns of every flat row; `asked` supplies the value and what the service does not echo. */
function contextOf(job: RowJob, result: Result, asked?: RequestedValue): IDataObject {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? asked?.parameters?.[name] ?? null;
	const metadata = reading(result.metadata ?? {});
	const topic = topicOf({ topic: echoed('topic') });
	const echo = echoedValue(result.query);
	return {
		job_id: job.job_id,
		topic: topic ?? null,
		source: echoed('source'),
		country: echoed('country'),
		key: echoed('key'),
		value: asked?.value ?? (echo && echoed('key') === 'gtin' ? gtinInSheets(echo) : echo) ?? null,
		success: result.success,
		found: isFound(result, topic),
		reason: result.reason ?? null,
		from_cache: (metadata('fromCache') as IDataObject[string]) ?? null,
		collected_at: (metadata('updatedAt') as IDataObject[string]) ?? null,
	};
}

/** How long a result takes besides its entries. */
const ENTRIES_PER_RESULT = 20;

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
	asked?: RequestedValue,
	remarks = new Remarks(),
): Steps<IDataObject[]> {
	yield ENTRIES_PER_RESULT;
	const { content, success } = result;
	const context = contextOf(job, result, asked);
	const topic = topicOf(context);
	if (!success && choice.onFailedResult === 'skip') return [];
	const others = content === undefined ? fieldsWithoutContent(result) : {};
	if ((success || result.reason === UNSAID) && isFilled(others))
		remarks.note('noContent', result, Object.keys(others));
	if (success && !choice.includeNotFound && !context.found) return [];
	const ofEntries = choice.output === 'entries';
	const list = contentListOf(content, topic, choice.contentList);
	const entries = ofEntries ? list?.entries : undefined;
	const isRaw = choice.columns === 'raw';
	const prices =
		ofEntries || isRaw ? undefined : yield* pricesOf(result, choice, remarks, topic, asked?.parameters);
	if (list === undefined && context.found && (ofEntries || prices?.priced_offers === 0)) {
		const lists = pathsToLists(content);
		if (lists.length > 0 || choice.contentList) remarks.note('unclear', result, lists);
	}
	if (isRaw) {
		const root = { job_id: job.job_id, status: job.status, ...result };
		if (!entries?.length) return [root];
		// The entry replaces the content that contained the list.
		return entries.map((entry) => ({ ...root, content: entry as IDataObject[string] }));
	}
	const isMain = choice.columns === 'main';
	const meaning = list?.meaning ?? meaningFor(topic);
	const whole = isMain && isObject(content) ? holdersIn(content) : [asFields(content, 'content'), others];
	const around = list !== undefined && ofEntries ? besideList(content, list) : whole;
	const entryRows = entries?.length ? entries.map((entry) => asFields(entry, 'entry')) : [undefined];
	const selected = choice.columns === 'selected' ? choice.fields : undefined;
	const rows: IDataObject[] = [];
	for (const entry of entryRows) {
		const parts = { context, prices, entry, meaning, around };
		const row = isMain ? mainRow(parts) : flatRow(parts);
		if (choice.priceFormat === 'number') makeNumbers(row, remarks);
		rows.push(selected === undefined ? row : remarks.selected(row, selected));
		yield 1;
	}
	if (context.found) {
		const objects = list?.entries.filter(isObject) ?? (prices?.priced_offers === 0 ? whole : []);
		const unread =
			isMain && rows.some(isEmptyRow)
				? yield* fieldsIn([...objects, ...around])
				: yield* unreadIn(objects, neededColumns(meaning, choice));
		if (unread.length > 0) remarks.note('unread', result, unread);
	}
	return rows;
}

/** The columns whose names in entries must be known: that of the best price, or the main ones. */
function neededColumns(meaning: ListMeaning | undefined, { columns, output }: RowChoice): readonly string[] {
	const main = meaning === undefined ? [] : MAIN_OF_ENTRIES[meaning];
	if (output === 'entries') return columns === 'main' ? main : [];
	return main.filter((name) => name === 'price');
}

/** Whether all columns are empty that say something about a content. */
const isEmptyRow = (row: IDataObject) =>
	Object.keys(row).every((name) => row[name] === null || NOT_OF_CONTENT.has(name));

/** What the entries of a topic are, where it has just one kind. */
function meaningFor(topic: string | undefined): ListMeaning | undefined {
	const [only, ...others] = topicTraits(topic).lists;
	return others.length === 0 ? only : undefined;
}

/** The filled fields of a result without content that have no other meaning. */
function fieldsWithoutContent(result: Result): IDataObject {
	const meanings = ['query', 'success', 'metadata', 'reason'] as const;
	const known = new Set(meanings.flatMap((meaning) => fieldsNamed(result, meaning)));
	const isOther = ([name, value]: [string, unknown]) => !known.has(name) && isFilled(value);
	return Object.fromEntries(Object.entries(result).filter(isOther));
}

/** The columns of a result's best price and of the comparison with the item's prices. */
function* pricesOf(
	result: Result,
	choice: RowChoice,
	remarks: Remarks,
	topic?: string,
	parameters?: IDataObject,
): Steps<IDataObject> {
	const content = result.success ? result.content : undefined;
	// An echo may be the service's default, so it only counts if its class is known.
	const condition = parameters ? parameters.condition : conditionClass(result.query?.condition);
	const about = { topic, contentList: choice.contentList, condition };
	const compared = yield* comparePrices(content, choice.bestPrice, about);
	for (const [kind, names] of Object.entries(compared.remarks))
		if (names.length > 0) remarks.note(kind as keyof typeof compared.remarks, result, names);
	if (choice.given === undefined) return { ...compared.best };
	const { columns, unclear } = compareGiven(choice.given, compared);
	// A result may answer several items with different prices, so each is counted.
	for (const [kind, given] of Object.entries(unclear))
		// The first run has no previous prices.
		if (kind !== 'previous' || given !== null)
			remarks.note(kind as keyof typeof unclear, {}, given === null ? [] : [`"${String(given)}"`]);
	return { ...compared.best, ...columns };
}

/** Price columns of the service with any prefix: `price`, `min_price`, `content_price`. */
const PRICE = /(?:^|_)(?:price|price_with_shipping|shipping_costs|rrp|tax)$/;

/** Converts a row's price texts to exact numbers. Text with a currency stays, to keep the currency. */
function makeNumbers(row: IDataObject, remarks: Remarks): void {
	for (const name of Object.keys(row)) {
		const given = row[name];
		if (typeof given !== 'string' || !PRICE.test(name) || given.trim() === '') continue;
		const amount = amountOf(given, currencyOf(row.currency));
		if (amount !== undefined && /^[\d.,\s'’]+$/u.test(given)) row[name] = amount.value;
		else remarks.note('text', {}, [`"${given}" in ${name}`]);
	}
}

/** Columns of the run and of the item, which say nothing about a content. */
const NOT_OF_CONTENT: ReadonlySet<string> = new Set(['value', 'found', ...COMPARISON]);

/** The only renderer of results, for all operations and triggers; collects remarks about the rows. */
export class Renderer {
	readonly remarks = new Remarks();
	/** Also for what is done with the rows afterwards. */
	readonly runner: StepRunner;

	constructor(clock: Pick<Clock, 'yieldToEventLoop'>) {
		this.runner = new StepRunner(clock);
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
			const made = await this.runner.run(rowsOf(job, result, choice, asked, this.remarks));
			for (const row of made) rows.push(row);
		}
		return { rows };
	}
}
