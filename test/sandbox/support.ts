import type { SandboxOptions } from './options.ts';
import { startSandbox } from './sandbox.ts';
import type { Sandbox } from './sandbox.ts';

export type Options = Partial<SandboxOptions>;
export type Fields = Record<string, unknown>;

export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	/** The body as JSON; undefined when it is none. */
	json: Fields;
}

/** The least that a create needs. */
export const ORDER = { topic: 'search', source: 'amazon', country: 'de', key: 'term', value: 'kettle' };

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** What a client of the service does, over real HTTP. */
export class Client {
	/** Known as soon as a test begins. */
	sandbox = {} as Sandbox;

	/** Sends a request with the key in the query, unless `init` says `token: false`. */
	async send(path: string, init: RequestInit & { token?: string | false } = {}): Promise<Answer> {
		const url = new URL(this.sandbox.url + path);
		if (init.token !== false) url.searchParams.set('token', init.token ?? this.sandbox.apiKey);
		const answer = await fetch(url, { redirect: 'manual', ...init });
		const text = await answer.text();
		return { status: answer.status, headers: answer.headers, text, json: parsed(text) as Fields };
	}

	post(path: string, body: unknown, init: RequestInit = {}): Promise<Answer> {
		const headers = { 'content-type': 'application/json', ...init.headers };
		return this.send(path, { method: 'POST', ...init, headers, body: JSON.stringify(body) });
	}

	/** Asks for a job; `values` take the place of the value. */
	create(more: Fields = {}): Promise<Answer> {
		const { value, ...rest } = { ...ORDER, ...more };
		return this.post('/v2/jobs', 'values' in more ? rest : { ...rest, value });
	}

	/** Creates a job and gives its ID, whatever the reply is. */
	async running(more: Fields = {}): Promise<string> {
		const { text } = await this.create(more);
		const id = this.sandbox.jobs.at(-1)?.job_id;
		if (id === undefined) throw new Error(text);
		return id;
	}

	async finished(more: Fields = {}): Promise<string> {
		const id = await this.running(more);
		this.sandbox.finishJob(id);
		return id;
	}

	/** The results of a new job with such an order. */
	async results(more: Fields = {}): Promise<Fields[]> {
		const { json } = await this.send(`/v2/jobs/${await this.finished(more)}/download`);
		return json.results as Fields[];
	}
}

/** When the time of {@link useStill} begins. */
export const NOON = Date.UTC(2026, 9, 20, 12, 0, 0);

/** For each test of a file a sandbox whose time stands still, with a client for it. */
export function useStill(options: Options = {}): Client {
	const client = new Client();
	beforeEach(async () => {
		client.sandbox = await startSandbox({ manualClock: true, ...options }, () => NOON);
	});
	afterEach(() => client.sandbox.close());
	return client;
}
