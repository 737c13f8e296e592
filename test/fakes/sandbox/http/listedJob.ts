import { QUERY_DEFAULTS, TIMEOUT_DEFAULT } from '../catalog.ts';
import { hashOf } from '../content/random.ts';
import { jobObject } from '../job.ts';
import type { Job } from '../job.ts';
import type { SandboxOptions } from '../options.ts';
import type { Fields } from './reply.ts';

const plainText = (text: string) =>
	text
		.normalize('NFD')
		.replace(/[^\p{L}\p{N} ]/gu, '')
		.toLowerCase();

/** The values of a job as the list shows them. */
function spelledValues(values: string[], spelling: SandboxOptions['listSpelling']): unknown {
	const shown = (spelling.includes('firstOnly') ? values.slice(0, 1) : values).map((value) => {
		const text = spelling.includes('plain') ? plainText(value) : value;
		const cased = spelling.includes('lowerCase') ? text.toLowerCase() : text;
		return spelling.includes('cut') ? cased.slice(0, 6) : cased;
	});
	return spelling.includes('joined') ? shown.join(', ') : shown;
}

/** Made-up database IDs of sources and topics, and dialling codes of countries. */
const NUMBERS: Record<string, number> = {
	...{ amazon: 17, ebay: 18, google_shopping: 21, idealo: 24, test: 90 },
	...{ product_and_offers: 1, reviews: 2, search: 3, bestsellers: 4 },
	...{ at: 43, au: 61, be: 32, ca: 11, ch: 41, de: 49, dk: 45, es: 34, fr: 33, gb: 44 },
	...{ ie: 353, it: 39, jp: 81, nl: 31, pl: 48, pt: 351, se: 46, us: 1 },
};

/** The number of a word; a word without one gets the same number each time. */
const numberOf = (word: string) => NUMBERS[word.toLowerCase()] ?? 1000 + (hashOf(word) % 9000);

const shortOf = (source: string) => (source === 'amazon' ? 'AMZ' : source.slice(0, 3).toUpperCase());

/** A job of the list in the spelling that is switched on. */
function spelled(job: Fields, { listSpelling }: SandboxOptions): Fields {
	const changed: Fields = { ...job };
	if (listSpelling.includes('capitals')) {
		for (const name of ['source', 'country', 'topic']) {
			if (typeof job[name] === 'string') changed[name] = job[name].toUpperCase();
		}
	}
	if (listSpelling.includes('numbers')) {
		for (const name of ['source', 'country', 'topic']) {
			if (typeof job[name] === 'string') changed[name] = numberOf(job[name]);
		}
	}
	if (listSpelling.includes('shortSource') && typeof job.source === 'string')
		changed.source = shortOf(job.source);
	if (listSpelling.includes('keyword') && job.key === 'term') changed.key = 'keyword';
	if (listSpelling.includes('pages') && typeof job.requested === 'number')
		changed.requested = 10 * job.requested;
	if (Array.isArray(job.values)) {
		delete changed.values;
		const name = listSpelling.includes('keyword') && job.key === 'term' ? 'keyword' : 'values';
		changed[name] = spelledValues(job.values as string[], listSpelling);
	}
	return changed;
}

const DEFAULTS: Fields = { ...QUERY_DEFAULTS, timeout: TIMEOUT_DEFAULT };

/** The parameters of a job that the list shows. Parameters without a default are always shown. */
function shownParameters({ request }: Job, parameters: Fields, { listDefaults }: SandboxOptions): Fields {
	const used: Fields = { ...request.query, timeout: request.timeoutMinutes };
	const shows: Record<typeof listDefaults, (name: string) => boolean> = {
		all: () => true,
		sentOnly: (name) => request.sent.includes(name),
		changedOnly: (name) => used[name] !== DEFAULTS[name],
	};
	const isShown = (name: string) => !Object.hasOwn(DEFAULTS, name) || shows[listDefaults](name);
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => isShown(name)));
}

/** A job as the list shows it. */
export function listedJob(job: Job, now: number, options: SandboxOptions): Fields {
	const whole = jobObject(job, now, options, options.listFields);
	const { parameters } = whole;
	const shown = parameters !== undefined && {
		parameters: shownParameters(job, parameters as Fields, options),
	};
	return spelled({ ...whole, ...shown }, options);
}
