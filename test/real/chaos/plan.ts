import { Dice } from '../../fakes/sandbox/content/random.ts';

/** How a workflow gets from values to rows. */
export type Flow = 'collect' | 'createAndWait';
export type WaitMode = 'poll' | 'durable' | 'webhook';
export type Key = 'gtin' | 'id' | 'term';

/** One workflow of the storm: what it looks up, and its settings. */
export interface Case {
	name: string;
	/** Cases of one group ask the same account for the same values: their jobs could be mistaken for each other's. */
	group: string;
	flow: Flow;
	service: number;
	account: number;
	topic: string;
	source: string;
	country: string;
	key: Key;
	/** What each input item asks for: one value a line, blank lines among them. */
	items: Array<{ id: string; values: string }>;
	waitMode: WaitMode;
	/** Whether Still Running leads to a Wait node that loops. */
	isWired: boolean;
	/** Whether the first item comes by another branch, so that n8n queues the node that asks twice. */
	isQueuedTwice: boolean;
	grouping: 'combine' | 'perItem';
	/** The limit in its credential; if undefined, each job takes a single value. */
	maxValuesPerJob: number | undefined;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	retryOnFail: boolean;
	/** In minutes; the node's default if absent. */
	maxWait?: number;
	/** In seconds, for the modes that suspend. */
	pollInterval: number;
	/** Minutes after which the service gives up a job; a day if absent. */
	timeout?: number;
	/** Milliseconds after the beginning of the storm. */
	startsAt: number;
}

const KEYS: Record<string, Key[]> = {
	product_and_offers: ['gtin', 'id', 'term'],
	search: ['term', 'gtin'],
	reviews: ['id', 'gtin'],
	bestsellers: ['id', 'term'],
};
const SOURCES: Record<string, string[]> = {
	amazon: ['de', 'us', 'jp'],
	ebay: ['de', 'gb'],
	google_shopping: ['de', 'ch', 'us'],
	idealo: ['de', 'at'],
};
/** The most values in the case with one job per value. In a smaller storm, it has a third of all jobs. */
const MANY = 300;
export const SERVICES = 3;
export const ACCOUNTS = 2;

/** Values with the same result are one purchase. */
export function bought(key: string, value: string): string {
	return key === 'gtin' ? value.replace(/^0+(?=\d)/, '') : value.trim();
}

/** The values of an item, each once, without blank lines. */
export function valuesOf(key: string, lines: string): string[] {
	const seen = new Map<string, string>();
	for (const line of lines.split('\n').map((text) => text.trim())) {
		if (line !== '' && !seen.has(bought(key, line))) seen.set(bought(key, line), line);
	}
	return [...seen.values()];
}

/** The weighted sum of a GTIN's digits, modulo 10: 0 if the GTIN is valid. */
function remainderOf(gtin: string): number {
	const digits = [...gtin.padStart(14, '0')].map(Number);
	return digits.reduce((sum, digit, place) => sum + digit * (place % 2 === 0 ? 3 : 1), 0) % 10;
}

/** A GTIN that no other value has. Its check digit is wrong if it is not to be sent. */
function gtin(prefix: string, group: number, index: number, isValid = true): string {
	const body = `${prefix}${String(group).padStart(4, '0')}${String(index).padStart(4, '0')}`.padEnd(
		12,
		'7',
	);
	const check = (10 - remainderOf(`${body}0`)) % 10;
	return `${body}${isValid ? check : (check + 1) % 10}`;
}

const WORDS = { found: 'kettle', notFound: 'notfound', fails: 'fail', slow: 'slow' };
/** GTIN prefixes that control the sandbox in the same way. */
const PREFIXES = { found: '4006', notFound: '2404', fails: '2500', slow: '2408' };

function newValue(dice: Dice, key: Key, group: number, index: number, mayBeSlow: boolean): string {
	const roll = dice.number(1, 100);
	const kind = roll <= 10 ? 'notFound' : roll <= 18 ? 'fails' : roll <= 22 && mayBeSlow ? 'slow' : 'found';
	if (key === 'gtin') return gtin(PREFIXES[kind], group, index);
	return key === 'id' ? `${WORDS[kind]}-${group}-${index}` : `${WORDS[kind]} ${group} of ${index}`;
}

/** Items that ask for a few values of one pool, some of them repeatedly and in several spellings, and blank cells. */
function newItems(dice: Dice, key: Key, group: number, flow: Flow, mayBeSlow: boolean): Case['items'] {
	const pool = Array.from({ length: dice.number(2, 9) }, (_, index) =>
		newValue(dice, key, group, index, mayBeSlow),
	);
	const cell = (): string => {
		if (dice.chance(8)) return '';
		// In Create, a value that cannot be sent fails its whole item, and no retry could repair that.
		if (key === 'gtin' && flow === 'collect' && dice.chance(4)) return gtin('4999', group, 99, false);
		const value = dice.pick(pool);
		return key === 'gtin' && dice.chance(15) ? `0${value}` : value;
	};
	return Array.from({ length: dice.number(1, 6) }, (_, index) => {
		const cells = Array.from({ length: dice.number(1, 3) }, cell);
		const isBlank = cells.join('') === '';
		if (isBlank && flow !== 'collect') cells.push(dice.pick(pool));
		return { id: `item ${index}`, values: cells.join('\n') };
	});
}

/** One item for each of many different values, with a job each. */
function manyItems(dice: Dice, key: Key, group: number, count: number): Case['items'] {
	return Array.from({ length: count }, (_, index) => ({
		id: `item ${index}`,
		values: newValue(dice, key, group, index, false),
	}));
}

/** The items of a case by branch. The node that asks runs once for each branch. */
export const branchesOf = ({ items, isQueuedTwice }: Case): Array<Case['items']> =>
	isQueuedTwice ? [items.slice(0, 1), items.slice(1)] : [items];

function newCase(dice: Dice, number: number, lastsMs: number): Case {
	const flow = dice.pick<Flow>(['collect', 'collect', 'collect', 'createAndWait']);
	const topic = dice.pick(Object.keys(KEYS));
	const key = dice.pick(KEYS[topic] ?? []);
	const source = dice.pick(Object.keys(SOURCES));
	const mayBeSlow = dice.chance(25);
	const modes: WaitMode[] = flow === 'collect' ? ['poll', 'durable', 'webhook'] : ['poll', 'durable'];
	const waitMode = dice.pick(modes);
	const isWired = waitMode === 'durable' || dice.chance(waitMode === 'webhook' ? 75 : 40);
	const maxWait = waitMode === 'poll' && isWired ? 1 : waitMode === 'webhook' && !isWired ? 4 : undefined;
	return {
		name: `case ${number}`,
		group: `group ${number}`,
		flow,
		service: dice.number(0, SERVICES - 1),
		account: dice.number(0, ACCOUNTS - 1),
		topic,
		source,
		country: dice.pick(SOURCES[source] ?? []),
		key,
		items: newItems(dice, key, number, flow, mayBeSlow),
		waitMode,
		isWired,
		isQueuedTwice: dice.chance(20),
		grouping: dice.chance(70) ? 'combine' : 'perItem',
		maxValuesPerJob: dice.pick([1, 1, 2, 3, 1000]),
		onError: dice.pick(['stopWorkflow', 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']),
		retryOnFail: dice.chance(50),
		...(maxWait === undefined ? {} : { maxWait }),
		pollInterval: waitMode === 'webhook' ? 90 : 65,
		...(mayBeSlow ? { timeout: 1 } : {}),
		startsAt: dice.number(0, lastsMs),
	};
}

/** A case of many jobs, which keeps no worker busy while they run. */
function withManyJobs(dice: Dice, one: Case, number: number, count: number): Case {
	const [waitMode, timing] = dice.pick<[WaitMode, Partial<Case>]>([
		['durable', { pollInterval: 65 }],
		['webhook', { pollInterval: 90 }],
	]);
	const fixed = { isWired: true, grouping: 'combine', maxWait: undefined, timeout: undefined } as const;
	const items = manyItems(dice, one.key, number, count);
	return { ...one, ...fixed, ...timing, waitMode, flow: 'collect', maxValuesPerJob: undefined, items };
}

/** How many jobs a case creates when all goes well. */
export function plannedJobs(one: Case): number {
	const { key, grouping, maxValuesPerJob = 1 } = one;
	const jobsFor = (lines: string) =>
		Math.ceil(valuesOf(key, lines).filter((value) => isSent(key, value)).length / maxValuesPerJob);
	const asked = branchesOf(one).flatMap((items) => {
		const lines = items.map(({ values }) => values);
		return grouping === 'combine' ? [lines.join('\n')] : lines;
	});
	return asked.reduce((sum, lines) => sum + jobsFor(lines), 0);
}

/** Whether the package sends a value: it refuses mistyped GTINs. */
const isSent = (key: string, value: string) => key !== 'gtin' || remainderOf(value) === 0;

/**
 * Enough workflows to create this many jobs. The first one has many jobs. Some have a twin that asks for the same at
 * about the same time.
 *
 * @param lastsMs within how many milliseconds they are started
 */
export function casesOf(seed: string, jobs: number, lastsMs: number): Case[] {
	const dice = new Dice(`${seed} cases`);
	const many = withManyJobs(dice, newCase(dice, 0, lastsMs), 0, Math.min(MANY, Math.ceil(jobs / 3)));
	const cases: Case[] = [many];
	for (let planned = plannedJobs(many); planned < jobs;) {
		const one = newCase(dice, cases.length, lastsMs);
		cases.push(one);
		planned += plannedJobs(one);
		if (!dice.chance(8)) continue;
		const startsAt = one.startsAt + dice.number(0, 3_000);
		cases.push({ ...one, name: `case ${cases.length}`, startsAt });
		planned += plannedJobs(one);
	}
	return cases;
}
