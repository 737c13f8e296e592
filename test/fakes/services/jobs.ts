import fc from 'fast-check';

import type { Result } from '../sandbox/results';
import type { Sandbox } from '../sandbox/sandbox';
import { fieldNamed } from './leaves';
import type { Fields } from './operations';
import type { GeneratedService } from './service';

/** A job to create, and whether it has ended. */
export interface JobSpec {
	topic: string;
	source: string;
	key: string;
	values: string[];
	over: boolean;
}

/** One result of a job. */
export interface Brought {
	/** In the document's shape. */
	truth: Result;
	/** As the service sends it in JSON; numbers too long for a double are texts. */
	sent: Fields;
}

/** An existing job and the truth about it, however the service reports it. */
export interface KnownJob extends JobSpec {
	id: string;
	/** Its results in the service's order; [] while it runs. */
	results: Brought[];
	/** The body of its download in the service's format, as a plain client receives it. */
	file: Buffer;
	/** The body of its status in the service's format. */
	statusBody: Buffer;
}

const VALUES = [
	...['kettle', 'Crème-Brûlée', 'many-3', 'notfound', 'fail'],
	...['nulls', '007', 'iPhone 15', 'awkward'],
];

/** Jobs of one account: the first has ended, the second is running. Their values steer the sandbox. */
export function arbitraryJobs(): fc.Arbitrary<JobSpec[]> {
	const topics = fc.constantFrom(
		{ topic: 'product_and_offers', key: 'term' },
		{ topic: 'search', key: 'term' },
		{ topic: 'reviews', key: 'id' },
		{ topic: 'bestsellers', key: 'term' },
	);
	const job = (over: boolean) =>
		fc
			.record({
				asked: topics,
				source: fc.constantFrom('google_shopping', 'amazon'),
				values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 4 }),
			})
			.map(({ asked, source, values }) => ({ ...asked, source, values, over }));
	return fc
		.tuple(job(true), job(false), fc.array(job(true), { minLength: 1, maxLength: 4 }))
		.map(([first, second, others]) => [first, second, ...others]);
}

function headersOf({ options }: GeneratedService): Record<string, string> {
	const [place] = options.authentication;
	if (place === 'header') return { [options.authHeader]: options.apiKey };
	if (place === 'bearer') return { authorization: `Bearer ${options.apiKey}` };
	const pair = Buffer.from(`${options.username}:${options.password}`).toString('base64');
	return place === 'basic' ? { authorization: `Basic ${pair}` } : {};
}

/** The body that a plain client gets from a path of this service. */
export async function ask(sandbox: Sandbox, service: GeneratedService, path: string): Promise<Buffer> {
	const { options, format } = service;
	const [selection] = options.formatSelection;
	const xml = format === 'xml';
	const url = new URL(sandbox.url + path + (xml && selection === 'suffix' ? '.xml' : ''));
	if (xml && selection === 'parameter') url.searchParams.set(options.formatParameter, 'xml');
	if (options.authentication.includes('query')) url.searchParams.set(options.authParameter, options.apiKey);
	const accept = xml && selection === 'accept' ? 'application/xml' : '*/*';
	const answer = await fetch(url, { headers: { ...headersOf(service), accept } });
	return Buffer.from(await answer.arrayBuffer());
}

/** The list of results in an answer, however it is wrapped. */
function resultsIn(answer: unknown): Fields[] {
	if (typeof answer !== 'object' || answer === null) return [];
	const results = fieldNamed(answer, 'results');
	if (typeof results === 'object' && results !== null) return Object.values(results) as Fields[];
	const lists = Object.values(answer).map(resultsIn);
	return lists.find((list) => list.length > 0) ?? [];
}

const LONG_NUMBER = /(?<=":)(?:-?[\d.]{17,}|\d+e\d+)(?=[,}])/g;

/** The results of an ended job. */
export async function broughtBy(sandbox: Sandbox, service: GeneratedService, id: string): Promise<Brought[]> {
	const truths = sandbox.resultsOf(id);
	const path = `/v2/jobs/${encodeURIComponent(id)}`;
	const readJson = async (where: string) => {
		const text = (await ask(sandbox, { ...service, format: 'json' }, where)).toString();
		return resultsIn(JSON.parse(text.replace(LONG_NUMBER, '"$&"')));
	};
	const inDownload = await readJson(`${path}/download`);
	const sent = inDownload.length > 0 ? inDownload : await readJson(path);
	if (sent.length !== truths.length) throw new Error(`${sent.length} results in place of ${truths.length}`);
	return truths.map((truth, index) => ({ truth, sent: sent[index] ?? {} }));
}

/** The truth about an account. */
export interface Known {
	/** Oldest first. */
	jobs: KnownJob[];
	/** The body of today's usage, in JSON. */
	usage: Buffer;
}

const HALF_A_DAY_MS = 12 * 60 * 60 * 1000;

/** Skips to the service's next day if this one is half over, so that today's usage stays true for hours. */
function beginInTheMorning(sandbox: Sandbox): void {
	const sinceMidnight = sandbox.now() % (2 * HALF_A_DAY_MS);
	if (sinceMidnight >= HALF_A_DAY_MS) sandbox.advance(2 * HALF_A_DAY_MS - sinceMidnight);
}

/** Resets the sandbox, creates the jobs, and turns it into the service, except for options fixed at the start. */
export async function becomeService(
	sandbox: Sandbox,
	service: GeneratedService,
	specs: JobSpec[],
): Promise<Known> {
	sandbox.reset();
	beginInTheMorning(sandbox);
	const { port, manualClock } = sandbox.options;
	const { jobIdFormat, jobEnd, partialEnds } = service.options;
	sandbox.setOptions({ autoFinish: false, jobIdFormat, jobEnd, partialEnds });
	const ids: string[] = [];
	for (const { over, ...order } of specs) {
		const id = sandbox.createJob({ ...order, country: 'de' });
		if (over) sandbox.finishJob(id);
		// Jobs created at the same moment have no order.
		sandbox.advance(1000);
		ids.push(id);
	}
	// Makes the jobs old enough for any lag.
	sandbox.advance(60_000);
	sandbox.setOptions({ ...service.options, port, manualClock, autoFinish: false });
	const jobs: KnownJob[] = [];
	for (const [index, spec] of specs.entries()) {
		const id = ids[index] ?? '';
		const path = `/v2/jobs/${encodeURIComponent(id)}`;
		const file = spec.over ? await ask(sandbox, service, `${path}/download`) : Buffer.alloc(0);
		const statusBody = await ask(sandbox, service, path);
		const results = spec.over ? await broughtBy(sandbox, service, id) : [];
		jobs.push({ ...spec, id, results, file, statusBody });
	}
	const usage = await ask(sandbox, { ...service, format: 'json' }, '/v2/me/usage_today');
	sandbox.clearRequests();
	return { jobs, usage };
}
