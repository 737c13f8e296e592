import { XMLParser } from 'fast-xml-parser';
import type { SandboxOptions } from './options.ts';
import { startSandbox } from './sandbox.ts';
import type { Sandbox } from './sandbox.ts';

type Fields = Record<string, unknown>;

export interface Answer {
	status: number;
	headers: Headers;
	text: string;
	/** The body as JSON; undefined when it is none. */
	json: Fields;
}

/** What a client of the service does, over real HTTP. */
export class Client {
	readonly sandbox: Sandbox;

	constructor(sandbox: Sandbox) {
		this.sandbox = sandbox;
	}

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

	create(more: Fields = {}): Promise<Answer> {
		return this.post('/v2/jobs', { ...order(), ...more });
	}

	/** Creates a job, lets it finish and gives its id. */
	async finished(more: Fields = {}): Promise<string> {
		const { json, text } = await this.create(more);
		if (typeof json?.job_id !== 'string') throw new Error(text);
		this.sandbox.finishJob(json.job_id);
		return json.job_id;
	}

	async results(more: Fields = {}): Promise<Fields[]> {
		const { json } = await this.send(`/v2/jobs/${await this.finished(more)}/download`);
		return json.results as Fields[];
	}
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** The least that a create needs. */
export function order(): Fields {
	return { topic: 'search', source: 'amazon', country: 'de', key: 'term', value: 'kettle' };
}

/** A sandbox whose time stands still, with a client for it. */
export async function startStill(options: Partial<SandboxOptions> = {}): Promise<Client> {
	const at = Date.UTC(2026, 9, 20, 12, 0, 0);
	return new Client(await startSandbox({ manualClock: true, ...options }, () => at));
}

const PARSER = new XMLParser({
	alwaysCreateTextNode: true,
	attributeNamePrefix: '@',
	// Numeric references too, which stand for what an encoding lacks.
	htmlEntities: true,
	ignoreAttributes: false,
	ignoreDeclaration: true,
	parseTagValue: false,
	trimValues: false,
});

function valueOf(node: unknown): unknown {
	const fields = (node ?? {}) as Fields;
	const text = typeof node === 'string' ? node : String(fields['#text'] ?? '');
	if (fields['@nil'] === 'true') return null;
	const type = fields['@type'];
	const children = Object.entries(fields).filter(([name]) => !/^[@#]/.test(name));
	if (type === 'array') return children.flatMap(([, list]) => [list].flat().map(valueOf));
	if (type === 'integer' || type === 'float') return Number(text);
	if (type === 'boolean') return text === 'true';
	if (children.length === 0) return text;
	return Object.fromEntries(children.map(([name, child]) => [name.replaceAll('-', '_'), valueOf(child)]));
}

/** Reads the service's XML into what its JSON would have been. */
export function fromXml(text: string): unknown {
	const [root] = Object.values(PARSER.parse(text) as Fields);
	return valueOf(root);
}
