import { setTimeout as sleep } from 'node:timers/promises';
import sandbox from '../../test/support/sandbox.cjs';

/** The key of the sandbox's first account. */
export const KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';

/** What all benchmarks ask for: a product with its offers, by search term. */
export const QUESTION = {
	topic: 'product_and_offers',
	source: 'google_shopping',
	country: 'de',
	key: 'term',
};

/** Lookup values that the sandbox answers with this many offers each. */
export const valuesWith = (offers, count) =>
	Array.from({ length: count }, (_, index) => `many-${offers}-${String(index).padStart(4, '0')}`);

/** The sandbox in a separate process, with the requests that benchmarks need. */
export class Service {
	/** @param {Record<string, unknown>} options of the sandbox */
	static async start(options = {}) {
		const { url, stop } = await sandbox.startSandboxProcess();
		const service = new Service(url, stop, options);
		await service.reset();
		return service;
	}

	constructor(url, stop, options) {
		this.url = url;
		this.stop = stop;
		this.options = options;
	}

	async send(method, path, body) {
		const reply = await fetch(this.url + path, {
			method,
			headers: body === undefined ? {} : { 'content-type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
		return await reply.json();
	}

	/** Forgets all jobs and requests. */
	async reset() {
		await this.send('POST', '/_sandbox/reset');
		await this.send('POST', '/_sandbox/options', this.options);
	}

	/** How many requests came since the reset, and how many of them created a job. */
	async counts() {
		const requests = await this.send('GET', '/_sandbox/requests');
		const jobs = requests.filter(({ method, path }) => method === 'POST' && path === '/v2/jobs');
		return { requests: requests.length, jobs: jobs.length };
	}

	/** Creates a job and waits for its end. */
	async finishedJob(values) {
		const body = { ...QUESTION, values: values.join('\n') };
		const { job_id: id } = await this.send('POST', `/v2/jobs?token=${KEY}`, body);
		for (;;) {
			const { status } = await this.send('GET', `/v2/jobs/${id}?token=${KEY}`);
			if (status === 'finished') return id;
			await sleep(50);
		}
	}

	downloadUrl(jobId, format) {
		return `${this.url}/v2/jobs/${jobId}/download.${format}?token=${KEY}`;
	}
}
