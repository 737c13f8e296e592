import { isTextOrNumber } from '../service/types';
import { Unreadable, type FieldValue } from './values';

/** Words of conditions. Those for new mean it only by themselves: "new, open box" is not new. */
const CLASSES = {
	new: /^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|nytt|uusi|nový|nové|yeni|новый|全新|新品)$/u,
	refurbished:
		/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u,
	used: /^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u,
} as const;

type ConditionClass = keyof typeof CLASSES;

/** The word for any condition among those that the user chose. */
const ANY_CONDITION = 'any';

/** Words without information about a condition. */
const UNSPECIFIED = /^(|any|n_a|none|not_specified|unknown|unspecified)$/;

/** Only the beginning of external text is compared. */
const LONGEST_CONDITION = 200;

/** A condition in normalised spelling: `Used – very good` and `used_very_good` are equal. */
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

/** The class of a condition; undefined for unknown words. */
export const conditionClass = (condition: unknown) => classOf(conditionName(condition));

function classOf(name: string): ConditionClass | undefined {
	return (Object.keys(CLASSES) as ConditionClass[]).find((one) => CLASSES[one].test(name));
}

/**
 * Returns a test whether an offer counts by what its fields for the condition say: its code, or else its text. Undefined
 * when any condition counts. What cannot be read is in no condition that was chosen, and is not new.
 *
 * @param wanted codes, words or classes, in any spelling, or `any`. Absent or empty, it accepts the condition of
 * the job, or else what shops compete with: new offers and those without a condition
 * @param asked the condition that the job asked for: offers known to be of another class do not count
 */
export function conditionTest(
	wanted: readonly string[] | undefined,
	asked: unknown,
): ((said: readonly FieldValue[]) => boolean) | undefined {
	const names = new Set(wanted?.map(conditionName).filter((name) => name !== ''));
	const askedClass = conditionClass(asked);
	const isDefault = names.size === 0;
	if (isDefault ? askedClass === undefined && conditionName(asked) !== '' : names.has(ANY_CONDITION))
		return undefined;
	// A content has many offers in few conditions.
	const known = new Map<unknown, { name: string; itsClass?: ConditionClass }>();
	const read = (condition: unknown) => {
		let meaning = known.get(condition);
		if (meaning === undefined) {
			const name = conditionName(condition);
			known.set(condition, (meaning = { name, itsClass: classOf(name) }));
		}
		return meaning;
	};
	return (said) => {
		const conditions = said.filter((one) => !(one instanceof Unreadable)).map(read);
		const its = conditions.map(({ name }) => name);
		const itsClass = conditions.find((one) => one.itsClass !== undefined)?.itsClass;
		if (!isDefault) return [...its, itsClass ?? ''].some((name) => names.has(name));
		const isUnreadable = itsClass === undefined && conditions.length < said.length;
		if (isUnreadable && askedClass !== 'used' && askedClass !== 'refurbished') return false;
		if (askedClass !== undefined) return (itsClass ?? askedClass) === askedClass;
		return itsClass === 'new' || its.every((name) => UNSPECIFIED.test(name));
	};
}
