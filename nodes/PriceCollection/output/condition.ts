import type { IDataObject } from 'n8n-workflow';

/** What a condition means, where its word is a known one. */
export type ConditionClass = 'new' | 'refurbished' | 'used';

/** Words that mean "new" when nothing stands beside them: "new, open box" is not new. */
const NEW =
	/^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|新品)$/u;
const REFURBISHED =
	/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u;
const USED =
	/^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u;

/** Conditions are compared up to this length, whatever a service sends. */
const LONGEST_CONDITION = 200;

/** A condition in any spelling, for comparing: `Used – very good` and `used_very_good` are the same. */
export function conditionName(condition: unknown): string {
	if (typeof condition !== 'string') return '';
	const word = condition.slice(0, LONGEST_CONDITION).replace(/^https?:\/\/schema\.org\//i, '');
	return word
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, '_')
		.replaceAll(/^_|_$/g, '');
}

/** What a condition means; undefined for words that are not known. */
export function conditionClass(condition: unknown): ConditionClass | undefined {
	const name = conditionName(condition);
	if (NEW.test(name)) return 'new';
	if (REFURBISHED.test(name)) return 'refurbished';
	return USED.test(name) ? 'used' : undefined;
}

/** The class of an offer: that of its code, or else of its text. */
export function classOfOffer(offer: IDataObject): ConditionClass | undefined {
	return conditionClass(offer.condition_code) ?? conditionClass(offer.condition_text);
}

/**
 * Whether an offer is in one of these conditions, by code, by text or by what they mean.
 *
 * @param wanted names as {@link conditionName} gives them, none of them blank
 */
export function isInCondition(offer: IDataObject, wanted: ReadonlySet<string | undefined>): boolean {
	const names = [
		conditionName(offer.condition_code),
		conditionName(offer.condition_text),
		classOfOffer(offer),
	];
	return names.some((name) => wanted.has(name));
}
