import type { IDataObject } from 'n8n-workflow';

/** The class of a condition, if its words are known. */
type ConditionClass = 'new' | 'refurbished' | 'used';

/** Words that mean "new" only by themselves: "new, open box" is not new. */
const NEW =
	/^(new|brand_new|newcondition|neu|neuware|neuf|nouveau|nuovo|nuevo|novo|nieuw|nowy|nowe|ny|nytt|uusi|nový|nové|yeni|новый|全新|新品)$/u;
const REFURBISHED =
	/^(refurb|renewed|certified_refurb|generalüberholt|erneuert|reconditionn|ricondizionat|reacondicionad|recondicionad|odnowion|gereviseerd)/u;
const USED =
	/^(used|pre_owned|second_hand|gebraucht|occasion|d_occasion|usato|usado|usad|segunda_mano|używan|tweedehands|gebruikt|begagnad|中古)/u;

/** Conditions are compared up to this length. */
const LONGEST_CONDITION = 200;

/** A condition in normalised spelling: `Used – very good` and `used_very_good` are equal. */
export function conditionName(condition: unknown): string {
	if (typeof condition !== 'string') return '';
	const word = condition.slice(0, LONGEST_CONDITION).replace(/^https?:\/\/schema\.org\//i, '');
	return word
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, '_')
		.replaceAll(/^_|_$/g, '');
}

/** The class of a condition; undefined for unknown words. */
export function conditionClass(condition: unknown): ConditionClass | undefined {
	const name = conditionName(condition);
	if (NEW.test(name)) return 'new';
	if (REFURBISHED.test(name)) return 'refurbished';
	return USED.test(name) ? 'used' : undefined;
}

/** The class of an offer, by its code or else its text. */
function classOfOffer(offer: IDataObject): ConditionClass | undefined {
	return conditionClass(offer.condition_code) ?? conditionClass(offer.condition_text);
}

/** Words without information about a condition. */
const UNSAID: ReadonlySet<string> = new Set([
	'',
	'any',
	'n_a',
	'none',
	'not_specified',
	'unknown',
	'unspecified',
]);

/**
 * Returns a test whether an offer counts by its condition.
 *
 * @param wanted codes, words or classes, in any spelling; an empty list accepts any condition. Undefined
 * accepts the condition of the job, or else what shops compete with: new offers and those without a condition
 * @param asked the condition that the job asked for: offers known to be of another class do not count
 */
export function conditionFilter(
	wanted: readonly string[] | undefined,
	asked: unknown,
): (offer: IDataObject) => boolean {
	const namesOf = ({ condition_code, condition_text }: IDataObject) =>
		[condition_code, condition_text].map(conditionName);
	if (wanted !== undefined) {
		const names = new Set<string | undefined>(wanted.map(conditionName).filter((name) => name !== ''));
		if (names.size === 0) return () => true;
		return (offer) => [...namesOf(offer), classOfOffer(offer)].some((name) => names.has(name));
	}
	if (conditionName(asked) !== '') {
		const asClass = conditionClass(asked);
		return (offer) => asClass === undefined || (classOfOffer(offer) ?? asClass) === asClass;
	}
	return (offer) => classOfOffer(offer) === 'new' || namesOf(offer).every((name) => UNSAID.has(name));
}
