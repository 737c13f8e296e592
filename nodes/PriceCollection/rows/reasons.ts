import { oneLine } from '../service/text';
import type { PriceComparison } from './bestPrice';
import { NOT_SAID, type Trouble } from './offers';
import type { Unnamed } from './unnamed';

/* What a row says about itself: why it has no best price, and what of it could not be read. */

/** Longest reason, in characters. */
const LONGEST_REASON = 200;
/** Words, names and currencies that one reason lists. */
const MOST_LISTED = 4;

function listedWords(words: readonly string[]): string {
	const more = words.length > MOST_LISTED ? ', …' : '';
	return `${words.slice(0, MOST_LISTED).join(', ')}${more}`;
}

/**
 * A reason of these parts; null where there is nothing to say.
 *
 * @param parts the service's words, and others that are as long as they are
 * @param said what the node says of prices, which is cut
 */
export function asReason(
	parts: ReadonlyArray<string | undefined>,
	said: readonly string[] = [],
): string | null {
	const [whole, own] = [parts, [...new Set(said)]].map((all) => all.filter(Boolean).join('; '));
	const cut = own && own.length > LONGEST_REASON ? `${oneLine(own, LONGEST_REASON - 1)}…` : own;
	return [whole, cut].filter(Boolean).join('; ') || null;
}

/** What every row of the test source says first: its data is made up. */
export const TEST_DATA = 'test data';

/** Whether the reason of a row says that its data is made up. */
export const saysTestData = (reason: unknown) =>
	typeof reason === 'string' && (reason === TEST_DATA || reason.startsWith(`${TEST_DATA};`));

/** What cannot be read, such as `price not readable: "ab 12"`; of one part the first few words. */
export function troubleTexts(troubles: readonly Trouble[]): string[] {
	const words = new Map<string, Set<string>>();
	for (const trouble of troubles) {
		const all = words.get(trouble.part) ?? new Set();
		words.set(trouble.part, all.add(trouble.words));
	}
	return [...words].map(([part, all]) => `${part} not readable: ${listedWords([...all])}`);
}

/** What has no known name, and which fields may be it. */
export const unnamedText = ({ meanings, fields }: Unnamed) =>
	`no known field for the ${meanings.join(', ')}${fields.length === 0 ? '' : `: ${listedWords(fields)}`} (Field Names in the credential)`;

/** How many of each. */
const counts = (all: ReadonlyMap<string, number>) =>
	listedWords(
		[...all].map(([word, count]) => `${count} ${word === NOT_SAID ? 'without a condition' : word}`),
	);

/** Why none of the offers with a price counts. */
function leftOutText({ leftOut, priced }: PriceComparison, currency?: string): string | undefined {
	const { conditions, currencies, shops } = leftOut;
	if (currencies.size > 0) {
		const those = listedWords(
			[...currencies].map(([word, count]) =>
				word === NOT_SAID ? `${count} without one` : `${count} in ${word}`,
			),
		);
		return `no offer in ${currency ?? 'this currency'}: ${those}`;
	}
	if (conditions.size === 0 && shops === 0) return undefined;
	const ignored = `${shops} from ${shops === 1 ? 'an ignored shop' : 'ignored shops'}`;
	if (shops === priced)
		return `no offer counts: ${priced === 1 ? 'the only one is from an ignored shop' : `all ${priced} are from ignored shops`}`;
	return `no offer counts: ${[counts(conditions), shops > 0 ? ignored : ''].filter(Boolean).join(', ')}`;
}

/**
 * Why a found content has no best price, and what of its offers could not be read or has no known name.
 *
 * @param currency the only one that counts, if the user chose one
 */
export function priceReasons(compared: PriceComparison, currency?: string): string[] {
	const { best, leading, priced, troubles, unnamed } = compared;
	const others = [...troubleTexts(troubles), ...unnamed.map(unnamedText)];
	if (best.best_price !== null) return others;
	if (leading.length > 1) return [`prices in several currencies: ${listedWords(leading)}`, ...others];
	const leftOut = priced === 0 ? undefined : leftOutText(compared, currency);
	if (leftOut !== undefined) return [leftOut, ...others];
	return others.length === 0 ? ['no offer has a price'] : others;
}
