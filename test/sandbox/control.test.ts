import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FAULT_TYPES } from './faults.ts';
import { applyOptions, CHOICES, defaultOptions, optionFromText, SETS } from './options.ts';
import type { Client } from './support.ts';
import { order, startStill } from './support.ts';

describe('control over HTTP', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill({ pathPrefix: '/api' });
	});
	afterEach(() => client.sandbox.close());

	const control = async (method: string, path: string, body?: unknown) => {
		const headers = { 'content-type': 'application/json' };
		const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
		const answer = await fetch(`${new URL(client.sandbox.url).origin}/_sandbox/${path}`, init);
		return (await answer.json()) as Record<string, unknown> & unknown[];
	};

	it('changes options live, and refuses those that do not exist', async () => {
		expect(await control('POST', 'options', { listShape: 'array' })).toMatchObject({
			listShape: 'array',
		});
		expect((await client.send('/v2/jobs')).json).toEqual([]);
		expect(await control('POST', 'options', { listShape: 'tree' })).toEqual({
			error: 'Sandbox options: "listShape" is one of data, jobs, array, items, dataJobs',
		});
		expect(await control('GET', 'options')).toMatchObject({ listShape: 'array' });
	});

	it('sets and clears faults', async () => {
		const added = await control('POST', 'faults', [
			{ fault: { type: 'html' } },
			{ fault: { type: 'serverError' } },
		]);
		expect(added).toHaveLength(2);
		expect(await control('DELETE', `faults/${(added[0] as { id: string }).id}`)).toHaveLength(1);
		expect((await client.send('/v2/jobs')).status).toBe(500);
		expect(await control('GET', 'faults')).toMatchObject([{ seen: 1, played: 1 }]);
		expect(await control('DELETE', 'faults')).toEqual([]);
	});

	it('finishes jobs, skips time and shows what happened', async () => {
		const { json } = await client.create();
		const id = String(json.job_id);
		expect(await control('GET', 'jobs')).toMatchObject([
			{ job_id: id, status: 'new', values: ['kettle'], charged: 0 },
		]);
		expect(await control('POST', `jobs/${id}/finish`)).toMatchObject({ status: 'finished', charged: 1 });
		expect(await control('POST', 'jobs/none/finish')).toHaveProperty('error');
		await control('POST', 'advance', { ms: 1000 });
		expect(client.sandbox.clock.now()).toBe(Date.UTC(2026, 9, 20, 12, 0, 1));
		expect(await control('GET', 'requests')).toMatchObject([{ method: 'POST', path: '/api/v2/jobs' }]);
		expect(await control('DELETE', 'requests')).toEqual([]);
		expect(await control('GET', 'deliveries')).toEqual([]);
		expect(await control('GET', 'addresses')).toMatchObject({ url: client.sandbox.url });
	});

	it('starts over with the options of the start', async () => {
		await client.create();
		await control('POST', 'options', { listShape: 'jobs', statusRateLimit: 1 });
		await control('POST', 'reset');
		expect(client.sandbox.jobs).toEqual([]);
		expect(client.sandbox.options).toMatchObject({ listShape: 'data', pathPrefix: '/api' });
	});
});

describe('options', () => {
	it.each([
		['jobDurationMs', '50', 50],
		['autoFinish', 'false', false],
		['authentication', 'query,bearer', ['query', 'bearer']],
		['refusalStatuses', '{"gone":404}', { gone: 404 }],
		['pathPrefix', '/api', '/api'],
		['webhookSchedule', '10,20', [10, 20]],
	])('are read from text: %s=%s', (name, text, expected) => {
		expect(optionFromText(name, text)).toEqual(expected);
	});

	it.each([
		{ speed: 1 },
		{ jobDurationMs: '1' },
		{ authentication: 'query' },
		{ authentication: ['cookie'] },
		{ refusalStatuses: null },
	])('refuse %j', (changes) => {
		expect(() => applyOptions(defaultOptions(), changes)).toThrow(RangeError);
	});
});

describe('README.md', () => {
	const text = readFileSync(join(__dirname, 'README.md'), 'utf8');

	it('names every option', () => {
		expect(Object.keys(defaultOptions()).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
	});

	it('names every choice of an option', () => {
		const choices = [...Object.values(CHOICES), ...Object.values(SETS)].flat();
		expect(choices.filter((choice) => !text.includes(`\`${choice}\``))).toEqual([]);
	});

	it('names every fault', () => {
		expect(FAULT_TYPES.filter((type) => !text.includes(`\`${type}\``))).toEqual([]);
	});
});

describe('start.mjs', () => {
	it('runs in plain node, says when it is ready, and ends on a signal', async () => {
		const path = join(__dirname, 'start.mjs');
		const child = spawn(process.execPath, [path, '--path-prefix', '/api', '--list-shape=jobs'], {
			env: { ...process.env, SANDBOX_JOB_DURATION_MS: '1', SANDBOX_API_KEY: 'KEY' },
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
		expect(line).toMatch(/^sandbox ready at http:\/\/127\.0\.0\.1:\d+\/api$/);
		const url = line.replace('sandbox ready at ', '');
		const init = {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(order()),
		};
		expect((await fetch(`${url}/v2/jobs?token=KEY`, init)).status).toBe(200);
		expect(await (await fetch(`${url}/v2/jobs?token=KEY`)).json()).toMatchObject({
			jobs: [{ source: 'amazon' }],
		});
		child.kill();
		expect(await once(child, 'exit')).toEqual([0, null]);
	});
});
