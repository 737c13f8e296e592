import type { Entry } from '../code/objects';
import { isExpression, soleCode } from '../code/template';
import { type Findings, noFindings } from '../json/findings';
import { isUnencoded } from './pairs';

/** Names of parameters and headers that hold an API key. */
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
	const newName = RENAMED[entry.name] ?? entry.name;
	if (!names.has(newName)) {
		return {
			entry: { ...entry, name: newName },
			change: `Parameter "${entry.name}" is now called "${newName}".`,
		};
	}
	const warning = `Both "${entry.name}" and its new name "${newName}" are given. Nothing was changed.`;
	return { entry, warning, suggestion: `Remove "${entry.name}" if "${newName}" holds the same.` };
};

/** How a parameter's values are spelt in version 2, whether fixed or from an expression. */
interface Spelling {
	/** Returns the new spelling of a fixed value; undefined if it stays. */
	fixed: (value: string) => string | undefined;
	/** The same as a JavaScript expression, whose variable has the name of the parameter. */
	code: string;
	meaning: string;
	/** The beginning of a warning, if the new spelling was observed but is not documented. */
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
				change: `The values of the expression in "${name}" are now converted to the new names. ${meaning}`,
			};
		}
		if (isExpression(value)) {
			return {
				entry,
				warning: `The value of "${name}" is built at run time. It was not changed.`,
				suggestion: meaning,
			};
		}
		const newValue = fixed(value.trim());
		if (newValue === undefined) return { entry };
		const change = `The value "${value}" of "${name}" is now called "${newValue}".`;
		return { ...note, entry: { ...entry, value: newValue, raw: undefined }, change };
	};

const convertKey = respelled({
	fixed: (value) => RENAMED[value],
	code: "({ source_id: 'id', keyword: 'term' })[key] ?? key",
	meaning: 'Lookup keys: "source_id" is now "id", and "keyword" is now "term".',
});

const convertSource = respelled({
	fixed: (value) => (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(value) ? value.replace(/-/g, '_') : undefined),
	code: "typeof source === 'string' ? source.replaceAll('-', '_') : source",
	meaning: 'Names of datasources have underscores: google_shopping, not google-shopping.',
	check: 'Check that the service knows the datasource with underscores instead of hyphens',
});

const checkCountry: Rule = (entry) => {
	if (String(entry.value).toLowerCase() !== 'uk') return { entry };
	const warning = `Country "${String(entry.value)}" was not changed; the service calls it "gb".`;
	return { entry, warning, suggestion: 'Use gb.' };
};

const checkCallback: Rule = (entry) => {
	const warning = 'Neither version documents what the service sends to this address.';
	return { entry, warning, suggestion: 'Check the workflow that receives the call.' };
};

/** Makes a rule that replaces a retired option with a new one, if its value has an equivalent. */
const retired =
	(newName: string, equivalents: Readonly<Record<string, number>>, meaning: string): Rule =>
	(entry, names) => {
		const { name } = entry;
		const value = typeof entry.value === 'string' ? entry.value.trim() : '';
		const equivalent = equivalents[value];
		if (equivalent === undefined || names.has(newName)) {
			const warning = `"${name}" has no certain equivalent in version 2. It was not changed.`;
			return { entry, warning, suggestion: `Use "${newName}" instead: ${meaning}.` };
		}
		return {
			entry: { ...entry, name: newName, value: equivalent, raw: undefined },
			change: `"${name}: ${value}" became "${newName}: ${equivalent}".`,
			warning: `"${newName}: ${equivalent}" replaces "${name}: ${value}". Check it: a parameter that differs from its default may change the price.`,
		};
	};

/** Warns about a lookup value in an address or form without encoding, where some characters have a special meaning. */
const checkEncoding: Rule = (entry, names) => {
	if (!isUnencoded(entry) || names.has('gtin')) return { entry };
	const warning = `The value of "${entry.name}" was part of an address or a form without encoding, in which "+", "%" and "&" have a special meaning.`;
	return {
		entry,
		warning,
		suggestion: 'If the values contain none of these characters, there is nothing to do.',
	};
};

const renameLookup: Rule = (entry, names) => ({ ...checkEncoding(entry, names), ...rename(entry, names) });

const RULES: Readonly<Record<string, Rule>> = {
	source_id: renameLookup,
	keyword: renameLookup,
	value: checkEncoding,
	values: checkEncoding,
	key: convertKey,
	source: convertSource,
	country: checkCountry,
	webhook_url: checkCallback,
	currentness: retired(
		'max_age',
		{ daily_updated: 1440, realtime: 15 },
		'the maximum age of cached data in minutes, 1440 for daily data, 15 for live data',
	),
	completeness: retired('max_pages', { one_page: 1 }, 'the number of pages to read'),
};

const warnIfUnknown: Rule = (entry) => {
	if (KNOWN_PARAMETERS.has(entry.name)) return { entry };
	return { entry, warning: `"${entry.name}" is not a known parameter of version 2. It was not changed.` };
};

/**
 * Converts version 1 creation parameters to version 2. Does not add the topic. API keys must have been removed.
 *
 * @param all every parameter of the request except headers, because rules also depend on the other names
 */
export function convertEntries(
	entries: readonly Entry[],
	all: readonly Entry[],
): { entries: Entry[]; findings: Findings } {
	const findings = noFindings();
	// A GTIN contains no special characters, so a `key` with the value gtin counts like a parameter `gtin`.
	const names = new Set(
		all.flatMap(({ name, value }) => (name === 'key' && value === 'gtin' ? [name, value] : [name])),
	);
	const converted = entries.map((entry) => {
		const rule = Object.hasOwn(RULES, entry.name) ? RULES[entry.name] : undefined;
		const { change, warning, suggestion, entry: result } = (rule ?? warnIfUnknown)(entry, names);
		const parameter = entry.name;
		if (change) findings.changes.push({ parameter, message: change });
		if (warning)
			findings.warnings.push({ parameter, message: warning, ...(suggestion ? { suggestion } : {}) });
		return result;
	});
	return { entries: converted, findings };
}
