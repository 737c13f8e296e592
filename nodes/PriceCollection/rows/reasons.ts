import type { IDataObject } from 'n8n-workflow';

import { oneLine } from '../service/text';
import { SUCCESS_UNKNOWN, type Result } from '../service/types';
import { repeated } from '../values/cells';
import type { PriceComparison } from './bestPrice';
import { NOT_STATED, type UnreadPart } from './offers';
import type { Unnamed } from './unnamed';

/*
 * The reason of a row: why it has no best price, and which of its data could not be read. The cases are in
 * `test/unit/rows/reason.cases.txt`.
 */

/** The longest text about prices and fields in a reason, in characters. */
const LONGEST_REASON = 200;
/** How many words, names or currencies are listed at once. */
const MOST_LISTED = 4;

function listedWords(words: readonly string[]): string {
	const ellipsis = words.length > MOST_LISTED ? ', …' : '';
	return `${words.slice(0, MOST_LISTED).join(', ')}${ellipsis}`;
}

/**
 * Joins the parts of a row's reason; null if there are none.
 *
 * @param parts kept at full length, such as the service's own reason
 * @param details about prices, entries and fields; repeats are dropped, and the text is cut to the limit
 */
export function asReason(
	parts: ReadonlyArray<string | undefined>,
	details: readonly string[] = [],
): string | null {
	const [uncut, joined] = [parts, [...new Set(details)]].map((all) => all.filter(Boolean).join('; '));
	const shortDetails =
		joined && joined.length > LONGEST_REASON ? `${oneLine(joined, LONGEST_REASON - 1)}…` : joined;
	return [uncut, shortDetails].filter(Boolean).join('; ') || null;
}

/** The first part of the reason in every row of the test source, whose data is made up. */
export const TEST_DATA = 'test data';

/** Whether a row's reason says that its data is made up. */
export const saysTestData = (reason: unknown) =>
	typeof reason === 'string' && (reason === TEST_DATA || reason.startsWith(`${TEST_DATA};`));

/** One text per unreadable part, such as `price not readable: "ab 12"`, with the first few of its values. */
export function unreadPartTexts(unreadParts: readonly UnreadPart[]): string[] {
	const wordsByPart = new Map<string, Set<string>>();
	for (const unreadPart of unreadParts) {
		const all = wordsByPart.get(unreadPart.part) ?? new Set();
		wordsByPart.set(unreadPart.part, all.add(unreadPart.words));
	}
	return [...wordsByPart].map(([part, all]) => `${part} not readable: ${listedWords([...all])}`);
}

/** Names the meanings without a known field, the fields that may have them, and the setting that says so. */
export const unnamedText = ({ meanings, fields, setting }: Unnamed) =>
	`no known field for the ${meanings.join(', ')}${fields.length === 0 ? '' : `: ${listedWords(fields)}`} (${setting ?? 'Field Names in the credential'})`;

/** The numbers of offers by word, such as `2 used, 1 without a condition`. */
const countsText = (all: ReadonlyMap<string, number>, notStated: string, prefix = '') =>
	listedWords(
		[...all].map(([word, count]) => `${count} ${word === NOT_STATED ? notStated : `${prefix}${word}`}`),
	);

/** Why no offer with a price counts; undefined if none was left out. */
function leftOutText({ leftOut, priced }: PriceComparison, currency?: string): string | undefined {
	const { conditions, currencies, shops } = leftOut;
	const hasOthers = conditions.size > 0 || shops > 0;
	if (!hasOthers && currencies.size === 0) return undefined;
	if (!hasOthers)
		return `no offer in ${currency ?? 'this currency'}: ${countsText(currencies, 'without one', 'in ')}`;
	const ignored = `${shops} from ${shops === 1 ? 'an ignored shop' : 'ignored shops'}`;
	if (shops === priced)
		return `no offer counts: ${priced === 1 ? 'the only one is from an ignored shop' : `all ${priced} are from ignored shops`}`;
	const counts = [
		countsText(conditions, 'without a condition'),
		shops > 0 ? ignored : '',
		countsText(currencies, 'without a currency', 'in '),
	];
	return `no offer counts: ${counts.filter(Boolean).join(', ')}`;
}

/**
 * Returns why a found content has no best price, and what in its offers could not be read or has no known name.
 *
 * @param currency the currency that the user chose, if any: only offers in this currency count
 */
export function priceReasons(compared: PriceComparison, currency?: string): string[] {
	const { best, leading, priced, unreadParts, unnamed } = compared;
	const others = [...unreadPartTexts(unreadParts), ...unnamed.map(unnamedText)];
	if (best.best_price !== null) return others;
	if (leading.length > 1) return [`prices in several currencies: ${listedWords(leading)}`, ...others];
	const leftOut = priced === 0 ? undefined : leftOutText(compared, currency);
	if (leftOut !== undefined) return [leftOut, ...others];
	return others.length === 0 ? ['no offer has a price'] : others;
}

/** The reason for a failed result that comes without one. */
export const NO_REASON = 'the service gave no reason';

/** How many field names a reason lists if the content is missing. */
const MOST_FIELD_NAMES = 6;

/**
 * Returns the parts of a reason that concern the whole result: that its data is made up, and the service's reason, or else
 * why nothing was found.
 *
 * @param isTest whether its data is made up
 * @param others the fields that came instead of a content
 */
export function reasonsOfResult(
	{ reason, success }: Result,
	isFound: boolean,
	isTest: boolean,
	others: IDataObject,
): Array<string | undefined> {
	const names = Object.keys(others).slice(0, MOST_FIELD_NAMES).join(', ');
	const otherFields = names === '' ? undefined : repeated(`no content, but these other fields: ${names}`);
	const fallback = success ? (isFound ? undefined : (otherFields ?? 'not found')) : NO_REASON;
	return [
		isTest ? TEST_DATA : undefined,
		reason || fallback,
		reason === SUCCESS_UNKNOWN ? otherFields : undefined,
	];
}
