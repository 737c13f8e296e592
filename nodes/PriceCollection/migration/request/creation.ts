import type { Entry } from '../code/objects';
import { isExpression, soleCode } from '../code/template';
import type { Findings } from '../json/findings';
import { noFindings } from '../json/findings';
import { isUnencoded } from './pairs';

/** Names that a key travels under, in parameters and in headers. */
const KEY_NAMES = /^((x[-_])?(api|access|auth)[-_]?(key|token)|token|authorization)$/i;

export const isKeyName = (name: string): boolean => KEY_NAMES.test(name.trim());

const RENAMED: Readonly<Record<string, string>> = { source_id: 'id', keyword: 'term' };

const KNOWN = new Set(
	(
		'topic source country key value values id term gtin max_age max_pages sort_by condition ' +
		'shipping timeout min_price max_price webhook_url webhook_method webhook_download_format'
	).split(' '),
);

/** What becomes of a parameter: the new entry, and what to tell. */
interface Outcome {
	entry: Entry;
	change?: string;
	warning?: string;
	suggestion?: string;
}

type Rule = (entry: Entry, names: ReadonlySet<string>) => Outcome;

const rename: Rule = (entry, names) => {
	const to = RENAMED[entry.name] ?? entry.name;
	if (!names.has(to)) {
		return { entry: { ...entry, name: to }, change: `Parameter "${entry.name}" is called "${to}" now.` };
	}
	const warning = `Both "${entry.name}" and its new name "${to}" are given. Left as it was.`;
	return { entry, warning, suggestion: `Remove "${entry.name}" when "${to}" holds the same.` };
};

/** Code of a value as the argument of a function; undefined when it cannot be one, or is one already. */
function mapped(entry: Entry, body: string): Entry | undefined {
	const code = soleCode(entry.value);
	const isOpen = code !== undefined && entry.isBound !== true;
	return isOpen
		? { ...entry, value: `={{ ((${entry.name}) => ${body})(${code}) }}`, raw: undefined }
		: undefined;
}

const isMapped = ({ name, value }: Entry): boolean => soleCode(value)?.startsWith(`((${name}) =>`) === true;

const convertKey: Rule = (entry) => {
	const { value } = entry;
	const to = typeof value === 'string' ? RENAMED[value.trim()] : undefined;
	if (to !== undefined) {
		const change = `The value "${String(value)}" of "key" is called "${to}" now.`;
		return { entry: { ...entry, value: to, raw: undefined }, change };
	}
	if (!isExpression(value) || isMapped(entry)) return { entry };
	const code = mapped(entry, "({ source_id: 'id', keyword: 'term' })[key] ?? key");
	if (code) {
		const change =
			'The expression in "key" now turns "source_id" into "id" and "keyword" into "term"; other values pass.';
		return { entry: code, change };
	}
	return {
		entry,
		warning: 'The value of "key" is put together at run time. Left as it was.',
		suggestion: 'Make sure that it gives "id" instead of "source_id", "term" instead of "keyword".',
	};
};

const UNDERSCORES = 'Names of datasources have underscores now: google_shopping, not google-shopping.';

const convertSource: Rule = (entry) => {
	const { value } = entry;
	if (typeof value !== 'string' || isMapped(entry)) return { entry };
	if (isExpression(value)) {
		const to = mapped(entry, "typeof source === 'string' ? source.replaceAll('-', '_') : source");
		const warning = to
			? 'The datasource comes from data: check that the service knows it with underscores for hyphens.'
			: 'The value of "source" is put together at run time. Left as it was.';
		const change = 'The expression in "source" now writes underscores for hyphens.';
		return { entry: to ?? entry, ...(to ? { change } : {}), warning, suggestion: UNDERSCORES };
	}
	if (!/^[a-z0-9]+(-[a-z0-9]+)+$/.test(value)) return { entry };
	const to = value.replace(/-/g, '_');
	return {
		entry: { ...entry, value: to, raw: undefined },
		change: `Datasource "${value}" is written "${to}" now.`,
		warning: `Datasource "${value}" became "${to}": check that the service knows it under this name.`,
	};
};

const checkCountry: Rule = (entry) => {
	if (String(entry.value).toLowerCase() !== 'uk') return { entry };
	const warning = `Country "${String(entry.value)}" was left as it was; the service calls it "gb".`;
	return { entry, warning, suggestion: 'Use gb.' };
};

/** A retired option whose known values have an equal in a new one. */
const retired =
	(to: string, equals: Readonly<Record<string, number>>, meaning: string): Rule =>
	(entry, names) => {
		const { name } = entry;
		const value = typeof entry.value === 'string' ? entry.value.trim() : '';
		const number = equals[value];
		if (number === undefined || names.has(to)) {
			const warning = `"${name}" has no certain equal in version 2. Left as it was.`;
			return { entry, warning, suggestion: `Use "${to}" instead: ${meaning}.` };
		}
		return {
			entry: { ...entry, name: to, value: number, raw: undefined },
			change: `"${name}: ${value}" became "${to}: ${number}".`,
			warning: `"${to}: ${number}" stands for "${name}: ${value}". Check it: a parameter that differs from its default may change the price.`,
		};
	};

/** A lookup value that stood in form text as it was, where the service read signs in it as form text. */
const checkSigns: Rule = (entry, names) => {
	if (!isUnencoded(entry) || names.has('gtin')) return { entry };
	const warning = `What "${entry.name}" holds stood in the text of an address or a form without encoding: "+", "%" and "&" in it had another meaning there.`;
	return { entry, warning, suggestion: 'Nothing to do when the values hold none of these signs.' };
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
	currentness: retired(
		'max_age',
		{ daily_updated: 1440, realtime: 15 },
		'the age in minutes up to which stored data is taken, 1440 for daily data, 15 for live data',
	),
	completeness: retired('max_pages', { one_page: 1 }, 'the number of pages to read'),
};

const unknown: Rule = (entry) => {
	if (KNOWN.has(entry.name)) return { entry };
	return { entry, warning: `"${entry.name}" is not known as a parameter of version 2. Left as it was.` };
};

/**
 * Turns version 1 creation parameters into version 2, one by one. `all` are all parameters that the request has,
 * wherever they stand. Keys have to be taken out before; topic is not added here.
 */
export function convertEntries(
	entries: readonly Entry[],
	all: readonly Entry[],
): { entries: Entry[]; findings: Findings } {
	const findings = noFindings();
	// A kind of lookup whose values hold no signs counts as a name too.
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
