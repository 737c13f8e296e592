import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import { startSandbox } from '../../fakes/sandbox/sandbox';
import { useSandbox } from '../../support/useSandbox';
import { fail, failureOf, forJob, itemsOf, reply, runNode, seedJob } from '../support/core';
import { binaryContent, errorOf, outputItems } from '../support/harness';

const sandbox = useSandbox({ autoFinish: false });

const VALUES = ['drill', 'notfound', 'fail-no-access'];
const many = (count: number) => Array.from({ length: count }, (_, index) => `value ${index}`);

/** The service's reply for a job, without the node. */
async function fromService(jobId: string, accept = 'application/json'): Promise<Buffer> {
	const address = `${sandbox.url}/v2/jobs/${jobId}/download?token=${sandbox.apiKey}`;
	const response = await fetch(address, { headers: { accept } });
	const bytes = Buffer.from(await response.arrayBuffer());
	sandbox.clearRequests();
	return bytes;
}

/** The file that a download gives. */
async function fileOf(jobId: string, options: INodeParameters = {}, credential = {}) {
	const run = await runNode(sandbox, forJob('download', jobId, { output: 'file', options }), {
		credential,
	});
	expect(errorOf(run)).toBeUndefined();
	const [item] = outputItems(run, 'Prices');
	if (!item) throw new Error('No item');
	return { item, bytes: await binaryContent(item, Object.keys(item.binary ?? {})[0]) };
}

describe('results', () => {
	test('one row per result, the answer first', async () => {
		const jobId = await seedJob(sandbox, VALUES);
		const rows = await itemsOf(sandbox, forJob('download', jobId));
		expect(sandbox.requests.map(({ url }) => url)).toEqual([
			`/v2/jobs/${jobId}/download?token=${sandbox.apiKey}`,
		]);
		const asked = {
			job_id: jobId,
			topic: 'search',
			source: 'google_shopping',
			country: 'de',
			key: 'term',
		};
		expect(rows).toMatchObject([
			{ ...asked, value: 'drill', success: true, found: true, reason: null },
			{ ...asked, value: 'notfound', success: true, found: false, reason: 'not found' },
			{ ...asked, value: 'fail-no-access', success: false, found: false, reason: 'no access' },
		]);
		const best =
			'best_price best_total best_currency best_shop best_condition best_availability best_url priced_offers';
		const rest = 'job_id topic source country key success reason from_cache collected_at';
		// Only the first of three results has a content, and its list comes after the columns of all.
		expect(rows.map((row) => Object.keys(row).join(' '))).toEqual([
			`value found ${best} ${rest} search_results`,
			`value found ${best} ${rest}`,
			`value found ${best} ${rest}`,
		]);
	});

	test('if all are left out, n8n adds an empty item only with Always Output Data', async () => {
		const jobId = await seedJob(sandbox, ['notfound']);
		const parameters = forJob('download', jobId, { options: { includeNotFound: false } });
		expect(await itemsOf(sandbox, parameters)).toEqual([]);
		expect(await itemsOf(sandbox, parameters, { node: { alwaysOutputData: true } })).toEqual([{}]);
	});

	test('failed and empty results can be left out, or fail the item', async () => {
		const jobId = await seedJob(sandbox, VALUES);
		const values = async (options: INodeParameters) =>
			(await itemsOf(sandbox, forJob('download', jobId, { options }))).map(({ value }) => value);
		expect(await values({ onFailedResult: 'skip' })).toEqual(['drill', 'notfound']);
		expect(await values({ includeNotFound: false })).toEqual(['drill', 'fail-no-access']);
		expect(await values({ includeNotFound: false, onFailedResult: 'skip' })).toEqual(['drill']);
		const failing = forJob('download', jobId, { options: { onFailedResult: 'error' } });
		expect(await failureOf(sandbox, failing)).toEqual({
			message: 'The service could not look up "fail-no-access": no access',
			description: `The service decides whether this lookup is charged. All results of job ${jobId} can still be downloaded. Set If a Lookup Fails to Include or Skip to continue without it.`,
			runStatus: 'error',
		});
	});

	test('CSV as items is refused before anything is sent', async () => {
		const csv = forJob('download', 'abc', { options: { format: 'csv' } });
		expect((await failureOf(sandbox, csv)).message).toBe('CSV is only available as a file');
		expect(sandbox.requests).toEqual([]);
	});
});

describe('file', () => {
	const MEDIA = {
		csv: 'text/csv',
		json: 'application/json',
		xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
		xml: 'application/xml',
	};

	test.each(
		Object.entries(MEDIA).flatMap(([format, media]) =>
			['acceptHeader', 'pathSuffix', 'queryParameter'].map((by) => [format, by, media] as const),
		),
	)('%s by %s is untouched', async (format, formatSelection, media) => {
		const jobId = await seedJob(sandbox, VALUES);
		const given = await fromService(jobId, media);
		const { item, bytes } = await fileOf(jobId, { format }, { formatSelection, customizeService: true });
		expect(bytes.equals(given)).toBe(true);
		const name = `${jobId}.${format}`;
		expect(item.binary?.data).toMatchObject({ fileName: name, mimeType: media });
		expect(item.json).toEqual({ job_id: jobId, file_name: name, mime_type: media, bytes: given.length });
		expect(item.pairedItem).toEqual({ item: 0 });
	});

	test('goes under the name and field that each item chooses', async () => {
		const input = [
			{ id: await seedJob(sandbox), file: 'a.json', field: 'sheet' },
			{ id: await seedJob(sandbox), file: 'b.json', field: 'table' },
		];
		const options = { fileName: '={{ $json.file }}', binaryPropertyName: '={{ $json.field }}' };
		const parameters = forJob('download', '={{ $json.id }}', { output: 'file', options });
		const run = await runNode(sandbox, parameters, { input });
		const names = outputItems(run, 'Prices').map(({ binary = {} }) =>
			Object.entries(binary).map(([field, { fileName }]) => [field, fileName]),
		);
		expect(names).toEqual([[['sheet', 'a.json']], [['table', 'b.json']]]);
	});

	test.each([
		['json', 1],
		['xml', 60],
	])('is one in %s although the first of %i results failed', async (format, count) => {
		const jobId = await seedJob(sandbox, ['fail-first', ...many(count - 1)]);
		expect(String((await fileOf(jobId, { format })).bytes)).toContain('fail-first');
	});

	test.each<[string, Fault, number | { nth: number[] }]>([
		['it comes in small pieces', { type: 'drip', bytes: 900, intervalMs: 1 }, 1],
		['the connection breaks twice', { type: 'truncate', length: false }, { nth: [1, 2] }],
	])('is whole where %s', async (_name, fault, when) => {
		const jobId = await seedJob(sandbox, ['fail-first', ...many(100)]);
		const given = await fromService(jobId);
		fail(sandbox, 'download', fault, when);
		expect((await fileOf(jobId)).bytes.equals(given)).toBe(true);
		// The node does not read a file, so it first asks whether the job is over.
		expect(sandbox.requests).toHaveLength(when === 1 ? 2 : 4);
	});

	const NO_ACCESS = 'The key has no access to this';
	test.each<[Fault, string]>([
		[{ type: 'refusal', reason: 'job forbidden', status: 200 }, NO_ACCESS],
		[{ type: 'refusal', reason: 'job forbidden', status: 403 }, NO_ACCESS],
		[{ type: 'html' }, 'The service returned a web page instead of data'],
	])('never becomes %j', async (fault, message) => {
		fail(sandbox, 'any', fault, 'always');
		for (const format of Object.keys(MEDIA)) {
			const parameters = forJob('download', 'abc', { output: 'file', options: { format } });
			expect((await failureOf(sandbox, parameters)).message).toBe(message);
		}
	});
});

describe('redirects', () => {
	const MOVED = 'The service redirects to another address';
	const leadingTo = (location?: string, status = 302) =>
		fail(sandbox, 'any', reply('', status, location === undefined ? {} : { location }));

	test('whose address holds the key in its path are not followed to another origin', async () => {
		leadingTo(`${sandbox.otherOriginUrl}/${sandbox.apiKey}/file?x=1`);
		expect(await failureOf(sandbox, forJob('download', 'abc'))).toMatchObject({
			message: MOVED,
			description: expect.stringContaining(`It points to ${sandbox.otherOriginUrl}/***/file.`),
		});
		expect(sandbox.otherOriginRequests).toEqual([]);
	});

	test('to a service that has moved are told from a wrong key', async () => {
		const moved = await startSandbox();
		leadingTo(`${moved.url}/v2/me/usage_today`, 301);
		expect(await failureOf(sandbox, { resource: 'usage', operation: 'getToday' })).toMatchObject({
			message: MOVED,
			description: expect.stringContaining(`A redirect led to ${moved.url}/v2/me/usage_today.`),
		});
		expect(JSON.stringify(moved.requests)).not.toContain(sandbox.apiKey);
		await moved.close();
	});
});
