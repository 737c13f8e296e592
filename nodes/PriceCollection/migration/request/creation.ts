import type { Entry } from '../code/objects';
import { isExpression, soleCode } from '../code/template';
import { type Findings, noFindings } from '../json/findings';
import { isUnencoded } from './pairs';

/** Names of keys in parameters and headers. */
const KEY_NAMES = /^((x[-_])?(api|access|auth)[-_]?(key|token)|token|authorization)$/i;

export const isKeyName = (name: string): boolean => KEY_NAMES.test(name.trim());

const RENAMED: Readonly<Record<string, string>> = { source_id: 'id', keyword: 'term' };

const KNOWN_PARAMETERS = new Set(
	(
		'topic source country key value values id term gtin max_age max_pages sort_by condition ' +
		'shipping timeout min_price max_price webhook_url webhook_method webhook_download_format'
	).split(' '),
);

/** The result of a rule: the new entry, and what to report. */
interface RuleResult {
	entry: Entry;
	change?: string;
	warning?: string;
	suggestion?: string;
}

type Rule = (entry: Entry, names: ReadonlySet<string>) => RuleResult;

const rename: Rule = (entry, names) => {
	const to = RENAMED[entry.name] ?? entry.name;
	if (!names.has(to)) {
		return { entry: { ...entry, name: to }, change: `Parameter "${entry.name}" is called "${to}" now.` };
	}
	const warning = `Both "${entry.name}" and its new name "${to}" are given. Left as it was.`;
	return { entry, warning, suggestion: `Remove "${entry.name}" when "${to}" holds the same.` };
};

/** The new spelling of a parameter's values, both fixed and from an expression. */
interface Spelling {
	/** The new spelling of a fixed value; undefined when it stays. */
	fixed: (value: string) => string | undefined;
	/** The same as JavaScript, with a variable named like the parameter. */
	code: string;
	meaning: string;
	/** A warning, if the new spelling was observed but is not documented. */
	check?: string;
}

const respelled =
	({ fixed, code: body, meaning, check }: Spelling): Rule =>
	(entry) => {
		const { name, value, isBound } = entry;
		const code = soleCode(value);
		if (typeof value !== 'string' || code?.startsWith(`((${name}) =>`)) return { entry };
		const note =
			check === undefined
				? {}
				: { warning: `${check}: ${isExpression(value) ? 'it comes from data' : value}.` };
		if (code !== undefined && isBound !== true) {
			const mapped = { ...entry, value: `={{ ((${name}) => ${body})(${code}) }}`, raw: undefined };
			return {
				...note,
				entry: mapped,
				change: `The values of the expression in "${name}" are converted to the new names now. ${meaning}`,
			};
		}
		if (isExpression(value)) {
			return {
				entry,
				warning: `The value of "${name}" is put together at run time. Left as it was.`,
				suggestion: meaning,
			};
		}
		const to = fixed(value.trim());
		if (to === undefined) return { entry };
		const change = `The value "${value}" of "${name}" is called "${to}" now.`;
		return { ...note, entry: { ...entry, value: to, raw: undefined }, change };
	};

const convertKey = respelled({
	fixed: (value) => RENAMED[value],
	code: "({ source_id: 'id', keyword: 'term' })[key] ?? key",
	meaning: 'Kinds of lookup: "source_id" is "id", "keyword" is "term".',
});

const convertSource = respelled({
	fixed: (value) => (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(value) ? value.replace(/-/g, '_') : undefined),
	code: "typeof source === 'string' ? source.replaceAll('-', '_') : source",
	meaning: 'Names of datasources have underscores: google_shopping, not google-shopping.',
	check: 'Check that the service knows the datasource with underscores for hyphens',
});

const checkCountry: Rule = (entry) => {
	if (String(entry.value).toLowerCase() !== 'uk') return { entry };
	const warning = `Country "${String(entry.value)}" was left as it was; the service calls it "gb".`;
	return { entry, warning, suggestion: 'Use gb.' };
};

const checkCallback: Rule = (entry) => {
	const warning = 'What the service sends to this address is documented in neither version.';
	return { entry, warning, suggestion: 'Check what reads the call.' };
};

/** Replaces a retired option by a new one, if its value has an equivalent. */
const retired =
	(to: string, equals: Readonly<Record<string, number>>, meaning: string): Rule =>
	(entry, names) => {
		const { name } = entry;
		const value = typeof entry.value === 'string' ? entry.value.trim() : '';
		const number = equals[value];
		if (number === undefined || names.has(to)) {
			const warning = `"${name}" has no certain equivalent in version 2. It was left unchanged.`;
			return { entry, warning, suggestion: `Use "${to}" instead: ${meaning}.` };
		}
		return {
			entry: { ...entry, name: to, value: number, raw: undefined },
			change: `"${name}: ${value}" became "${to}: ${number}".`,
			warning: `"${to}: ${number}" replaces "${name}: ${value}". Check it: a parameter that differs from its default may change the price.`,
		};
	};

/** Warns about an unencoded lookup value in form text, where some characters have a special meaning. */
const checkSigns: Rule = (entry, names) => {
	if (!isUnencoded(entry) || names.has('gtin')) return { entry };
	const warning = `The value of "${entry.name}" was part of an address or a form without encoding, in which "+", "%" and "&" have another meaning.`;
	return {
		entry,
		warning,
		suggestion: 'If the values contain none of these characters, there is nothing to do.',
	};
};

const renameLookup: Rule = (entry, names) => ({ ...checkSigns(entry, names), ...rename(entry, names) });

const RULES: Readonly<Record<string, Rule>> = {
	source_id: renameLookup,
	keyword: renameLookup,
	value: checkSigns,
	values: checkSigns,
	key: convertKey,
	source: convertSource,
	country: checkCountry,
	webhook_url: checkCallback,
	currentness: retired(
		'max_age',
		{ daily_updated: 1440, realtime: 15 },
		'the age in minutes up to which stored data is taken, 1440 for daily data, 15 for live data',
	),
	completeness: retired('max_pages', { one_page: 1 }, 'the number of pages to read'),
};

const unknown: Rule = (entry) => {
	if (KNOWN_PARAMETERS.has(entry.name)) return { entry };
	return { entry, warning: `"${entry.name}" is not known as a parameter of version 2. Left as it was.` };
};

/**
 * Converts version 1 creation parameters to version 2. Keys must be removed before; topic is not added.
 * @param all all parameters of the request, from every section
 */
export function convertEntries(
	entries: readonly Entry[],
	all: readonly Entry[],
): { entries: Entry[]; findings: Findings } {
	const findings = noFindings();
	// A GTIN contains none of the special characters, so its key counts as a name as well.
	const names = new Set(
		all.flatMap(({ name, value }) => (name === 'key' && value === 'gtin' ? [name, value] : [name])),
	);
	const converted = entries.map((entry) => {
		const rule = Object.hasOwn(RULES, entry.name) ? RULES[entry.name] : undefined;
		const { change, warning, suggestion, entry: to } = (rule ?? unknown)(entry, names);
		const parameter = entry.name;
		if (change) findings.changes.push({ parameter, message: change });
		if (warning)
			findings.warnings.push({ parameter, message: warning, ...(suggestion ? { suggestion } : {}) });
		return to;
	});
	return { entries: converted, findings };
}
