import type { IDataObject } from 'n8n-workflow';

import { isTextOrNumber, type Result } from '../service/types';
import { Unreadable, type FieldValue } from './values';

/** Words for each class of condition. Words for new must match exactly: "new, open box" is not new. */
const CLASSES = {
	new: /^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|nytt|uusi|nový|nové|yeni|новый|全新|新品)$/u,
	refurbished:
		/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u,
	used: /^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u,
} as const;

type ConditionClass = keyof typeof CLASSES;

/** The user's word for accepting any condition. */
const ANY_CONDITION = 'any';

/** Texts that leave the condition open. */
const UNSPECIFIED = /^(|any|n_a|none|not_specified|unknown|unspecified)$/;

/** Only this many characters of an external text are compared. */
const LONGEST_CONDITION = 200;

/** Normalises a condition's spelling, so that `Used – very good` and `used_very_good` are equal. Blank if there is none. */
function conditionName(condition: unknown): string {
	if (!isTextOrNumber(condition)) return '';
	const word = String(condition)
		.slice(0, LONGEST_CONDITION)
		.replace(/^https?:\/\/schema\.org\//i, '');
	return word
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, '_')
		.replaceAll(/^_|_$/g, '');
}

/** Returns a condition's class; undefined for unknown words. */
export const conditionClass = (condition: unknown) => classOf(conditionName(condition));

function classOf(name: string): ConditionClass | undefined {
	return (Object.keys(CLASSES) as ConditionClass[]).find((one) => CLASSES[one].test(name));
}

/**
 * Returns the condition that a job asked for; undefined if it asked for none. Without the job's parameters, the condition
 * that its results echo. An echo may be the service's default, so it only counts if its class is known.
 *
 * @param parameters the job's request parameters, if they are known
 */
export const requestedCondition = (parameters?: IDataObject, result?: Partial<Result>): unknown =>
	parameters ? parameters.condition : conditionClass(result?.query?.condition);

/**
 * Returns a predicate: does an offer count, given the values of its condition fields? Undefined if every offer counts. An
 * unreadable condition matches no condition that the user chose, and is not new.
 *
 * @param wanted the user's codes, words or classes, in any spelling, or `any`. If absent or empty, the job's condition
 * applies
 * @param requested the job's condition: offers known to be in another class do not count, and with `any` or an unknown word
 * every offer counts. If absent, new offers and offers without a condition count, because shops compete with these
 */
export function conditionTest(
	wanted: readonly string[] | undefined,
	requested: unknown,
): ((values: readonly FieldValue[]) => boolean) | undefined {
	const names = new Set(wanted?.map(conditionName).filter((name) => name !== ''));
	const requestedClass = conditionClass(requested);
	const isDefault = names.size === 0;
	if (
		isDefault ? requestedClass === undefined && conditionName(requested) !== '' : names.has(ANY_CONDITION)
	)
		return undefined;
	// A content has many offers but few different conditions.
	const cache = new Map<unknown, { name: string; kind?: ConditionClass }>();
	const read = (condition: unknown) => {
		let meaning = cache.get(condition);
		if (meaning === undefined) {
			const name = conditionName(condition);
			cache.set(condition, (meaning = { name, kind: classOf(name) }));
		}
		return meaning;
	};
	return (values) => {
		const conditions = values.filter((one) => !(one instanceof Unreadable)).map(read);
		const offerNames = conditions.map(({ name }) => name);
		const offerClass = conditions.find((one) => one.kind !== undefined)?.kind;
		if (!isDefault) return [...offerNames, offerClass ?? ''].some((name) => names.has(name));
		const isUnreadable = offerClass === undefined && conditions.length < values.length;
		if (isUnreadable && requestedClass !== 'used' && requestedClass !== 'refurbished') return false;
		if (requestedClass !== undefined) return (offerClass ?? requestedClass) === requestedClass;
		return offerClass === 'new' || offerNames.every((name) => UNSPECIFIED.test(name));
	};
}
