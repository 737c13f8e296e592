import type { IDataObject } from 'n8n-workflow';

import type { Report, ReportEntry } from './report';
import { newReport } from './report';
import { isExpression, parseTemplate } from './template';

/** A parameter of a request. A text value is an n8n parameter value: `=…` holds expressions. */
export interface Entry {
	name: string;
	value: unknown;
	/** How the value stood in the text it was read from; used as long as the value is not changed. */
	raw?: string;
	/** What else belongs to its row in the node. */
	row?: IDataObject;
}

/** Names that a key travels under, in parameters and in headers. */
const KEY_NAMES = /^(token|api[-_]?key|x-api-key|access[-_]?token|authorization)$/i;

export const isKeyName = (name: string): boolean => KEY_NAMES.test(name.trim());

const RENAMED: Readonly<Record<string, string>> = { source_id: 'id', keyword: 'term' };

const KNOWN = new Set(
	(
		'topic source country key value values id term gtin max_age max_pages sort_by condition ' +
		'shipping timeout min_price max_price webhook_url webhook_method webhook_download_format'
	).split(' '),
);

interface Outcome {
	entry: Entry;
	change?: string;
	warning?: string;
	suggestion?: string;
}

type Rule = (entry: Entry, names: ReadonlySet<string>) => Outcome;

const rename: Rule = (entry, names) => {
	const to = RENAMED[entry.name] ?? entry.name;
	if (names.has(to)) {
		return {
			entry,
			warning: `Both "${entry.name}" and its new name "${to}" are given. Left as it was.`,
			suggestion: `Remove "${entry.name}" when "${to}" holds the same.`,
		};
	}
	return { entry: { ...entry, name: to }, change: `Parameter "${entry.name}" is called "${to}" now.` };
};

/** Maps the two old words at run time; any other word passes. */
const mappedKey = (code: string): string =>
	`={{ ((key) => ({ source_id: 'id', keyword: 'term' })[key] ?? key)(${code}) }}`;

const convertKey: Rule = (entry) => {
	if (!isExpression(entry.value)) {
		const to = typeof entry.value === 'string' ? RENAMED[entry.value.trim()] : undefined;
		if (to === undefined) return { entry };
		return {
			entry: { ...entry, value: to, raw: undefined },
			change: `The value "${String(entry.value)}" of "key" is called "${to}" now.`,
		};
	}
	const [part, more] = parseTemplate(entry.value);
	if (entry.value.includes("source_id: 'id'")) return { entry };
	if (!part || more || !('code' in part)) {
		return {
			entry,
			warning: 'The value of "key" is put together at run time. Left as it was.',
			suggestion: 'Make sure that it gives "id" instead of "source_id", "term" instead of "keyword".',
		};
	}
	return {
		entry: { ...entry, value: mappedKey(part.code), raw: undefined },
		change: 'The expression in "key" now turns "source_id" into "id" and "keyword" into "term"; other values pass.',
	};
};

const convertSource: Rule = (entry) => {
	const { value } = entry;
	if (isExpression(value)) {
		return value.includes('-')
			? {
					entry,
					warning: 'The value of "source" comes from an expression. Left as it was.',
					suggestion:
						'Names of datasources have underscores now: google_shopping, not google-shopping.',
				}
			: { entry };
	}
	if (typeof value !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(value)) return { entry };
	const to = value.replace(/-/g, '_');
	return {
		entry: { ...entry, value: to, raw: undefined },
		change: `Datasource "${value}" is written "${to}" now.`,
		warning: `Datasource "${value}" became "${to}": check that the service knows it under this name.`,
	};
};

const checkCountry: Rule = (entry) =>
	entry.value === 'uk'
		? {
				entry,
				warning: 'Country "uk" was left as it was; the service calls it "gb".',
				suggestion: 'Use gb.',
			}
		: { entry };

/** A retired option whose known values have an equal in a new one. */
const retired =
	(to: string, equals: Readonly<Record<string, number>>, meaning: string): Rule =>
	(entry, names) => {
		const value = typeof entry.value === 'string' ? entry.value.trim() : '';
		const number = equals[value];
		if (number === undefined || names.has(to)) {
			return {
				entry,
				warning: `"${entry.name}" has no certain equal in version 2. Left as it was.`,
				suggestion: `Use "${to}" instead: ${meaning}.`,
			};
		}
		return {
			entry: { ...entry, name: to, value: number, raw: undefined },
			change: `"${entry.name}: ${value}" became "${to}: ${number}".`,
			warning: `"${to}: ${number}" stands for "${entry.name}: ${value}". Check it: a parameter that differs from its default may change the price.`,
		};
	};

const RULES: Readonly<Record<string, Rule>> = {
	source_id: rename,
	keyword: rename,
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

const unknown: Rule = (entry) =>
	KNOWN.has(entry.name)
		? { entry }
		: { entry, warning: `"${entry.name}" is not known as a parameter of version 2. Left as it was.` };

/**
 * Turns version 1 creation parameters into version 2, one by one. `names` are all names that the
 * request has, wherever they stand. Keys have to be taken out before; topic is not added here.
 */
export function convertEntries(
	entries: readonly Entry[],
	names: ReadonlySet<string>,
): { entries: Entry[]; report: Report } {
	const report = newReport();
	const converted = entries.map((entry) => {
		const rule = Object.hasOwn(RULES, entry.name) ? RULES[entry.name] : undefined;
		const outcome = (rule ?? unknown)(entry, names);
		const about: Omit<ReportEntry, 'message'> = { parameter: entry.name };
		if (outcome.change) report.changes.push({ ...about, message: outcome.change });
		if (outcome.warning) {
			const { suggestion } = outcome;
			const message = outcome.warning;
			report.warnings.push({ ...about, message, ...(suggestion ? { suggestion } : {}) });
		}
		return outcome.entry;
	});
	return { entries: converted, report };
}

/** What `convertParameters` returns. */
export interface ConvertedParameters extends Report {
	parameters: IDataObject;
}

/**
 * Converts the parameters of a version 1 job into those of version 2. The input is not altered.
 * @param topic added when the parameters have none
 */
export function convertParameters(parameters: IDataObject, topic: string): ConvertedParameters {
	const given: Entry[] = Object.entries(structuredClone(parameters)).map(([name, value]) => ({
		name,
		value,
	}));
	const kept = given.filter(({ name }) => !isKeyName(name));
	const { entries, report } = convertEntries(kept, new Set(kept.map(({ name }) => name)));
	for (const { name } of given.filter((entry) => isKeyName(entry.name))) {
		report.changes.push({ parameter: name, message: `The key in "${name}" was removed.` });
		report.warnings.push({
			parameter: name,
			message: 'A key does not belong into parameters.',
			suggestion: 'Create a Price Collection API credential with it.',
		});
	}
	if (!entries.some(({ name }) => name === 'topic')) {
		entries.unshift({ name: 'topic', value: topic });
		report.changes.push({ parameter: 'topic', message: `"topic: ${topic}" was added.` });
	}
	const converted = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
	return { parameters: converted as IDataObject, ...report };
}
