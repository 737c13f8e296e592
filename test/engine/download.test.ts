import type { INodeParameters } from 'n8n-workflow';

import { useSandbox } from '../useSandbox';
import { binaryContent, errorOf, hints, items, outputItems } from './harness';
import { failureOf, forJob, itemsOf, runNode, seedJob } from './core';

const sandbox = useSandbox({ autoFinish: false });

const VALUES = ['drill', 'notfound', 'fail-no-access'];

/** What the service itself gives for a path, without the node. */
async function fromService(path: string, accept: string): Promise<Buffer> {
	const response = await fetch(`${sandbox.url}${path}?token=${sandbox.apiKey}`, { headers: { accept } });
	const bytes = Buffer.from(await response.arrayBuffer());
	sandbox.clearRequests();
	return bytes;
}

describe('results', () => {
	test('one row per result, the answer first', async () => {
		const jobId = await seedJob(sandbox, VALUES);
		const rows = await itemsOf(sandbox, forJob('download', jobId));
		expect(sandbox.requests.map(({ url }) => url)).toEqual([
			`/v2/jobs/${jobId}/download?token=${sandbox.apiKey}`,
		]);
		expect(
			rows.map(({ job_id, topic, source, country, key, value, success, found, reason }) => ({
				...{ job_id, topic, source, country, key, value, success, found, reason },
			})),
		).toEqual(
			[
				{ value: 'drill', success: true, found: true, reason: null },
				{ value: 'notfound', success: true, found: false, reason: null },
				{ value: 'fail-no-access', success: false, found: false, reason: 'no access' },
			].map((row) => ({
				job_id: jobId,
				topic: 'search',
				source: 'google_shopping',
				country: 'de',
				key: 'term',
				...row,
			})),
		);
		const best = 'best_price best_total best_currency best_shop best_condition best_url priced_offers';
		const rest = 'job_id topic source country key success reason from_cache collected_at';
		// Of three results only the first has a content: its list stands behind all that the others have, too.
		expect(rows.map((row) => Object.keys(row).join(' '))).toEqual([
			`value found ${best} ${rest} search_results`,
			`value found ${best} ${rest}`,
			`value found ${best} ${rest}`,
		]);
	});

	test.each(['results', 'entries', 'job'])(
		'%s are deep-equal from JSON and XML, whatever the root',
		async (output) => {
			for (const topic of ['search', 'product_and_offers', 'reviews', 'bestsellers']) {
				const key = topic === 'reviews' ? 'id' : topic === 'search' ? 'term' : 'id';
				const jobId = await seedJob(sandbox, VALUES, { more: { topic, key } });
				for (const columns of ['main', 'all', 'raw']) {
					const asked = (format: string) =>
						forJob('download', jobId, { output, columns, options: { format } });
					const json = await itemsOf(sandbox, asked('json'));
					expect(await itemsOf(sandbox, asked('xml'))).toEqual(json);
					expect(json.length).toBeGreaterThan(0);
				}
			}
		},
	);

	test('a root <results>, as documented, gives the same rows', async () => {
		const jobId = await seedJob(sandbox, VALUES);
		const rows = await itemsOf(sandbox, forJob('download', jobId));
		sandbox.setOptions({ xmlRoot: 'results', xmlIndent: false });
		const fromXml = await itemsOf(sandbox, forJob('download', jobId, { options: { format: 'xml' } }));
		expect(fromXml).toEqual(rows);
	});

	test('failed and empty results can be left out, or fail the item', async () => {
		const jobId = await seedJob(sandbox, VALUES);
		const values = async (options: INodeParameters) =>
			(await itemsOf(sandbox, forJob('download', jobId, { options }))).map(({ value }) => value);
		expect(await values({ onFailedResult: 'skip' })).toEqual(['drill', 'notfound']);
		expect(await values({ includeNotFound: false })).toEqual(['drill', 'fail-no-access']);
		expect(await values({ includeNotFound: false, onFailedResult: 'skip' })).toEqual(['drill']);
		expect(
			await failureOf(sandbox, forJob('download', jobId, { options: { onFailedResult: 'error' } })),
		).toEqual({
			message: 'The service could not look up "fail-no-access": no access',
			description: `It is paid for as the service says. All results of job ${jobId} can still be downloaded. Set If a Lookup Fails to Include or Skip to go on without it.`,
			runStatus: 'error',
		});
	});

	test('n8n neither rewrites nor misreads the text when words of the service look like its codes', async () => {
		const jobId = await seedJob(sandbox, ['fail-preexisting-and-canceled']);
		const failure = await failureOf(
			sandbox,
			forJob('download', jobId, { options: { onFailedResult: 'error' } }),
		);
		expect(failure.message).toBe(
			'The service could not look up "fail-preexisting-and-cancelled": preexisting and cancelled',
		);
		expect(failure.runStatus).toBe('error');
	});

	test('the job as one item keeps what the root says', async () => {
		const jobId = await seedJob(sandbox, ['drill']);
		const whole = JSON.parse(String(await fromService(`/v2/jobs/${jobId}/download`, 'application/json')));
		expect(await itemsOf(sandbox, forJob('download', jobId, { output: 'job' }))).toEqual([whole]);
	});

	test.each(['text/html', 'text/plain; charset=utf-8', 'application/octet-stream', 'none'])(
		'the body decides, not the content type %s',
		async (contentType) => {
			const jobId = await seedJob(sandbox, ['drill']);
			sandbox.setOptions({ contentType });
			for (const format of ['json', 'xml']) {
				const rows = await itemsOf(sandbox, forJob('download', jobId, { options: { format } }));
				expect(rows).toMatchObject([{ value: 'drill', found: true }]);
			}
		},
	);

	test('a download that drips in is read to its end', async () => {
		const jobId = await seedJob(sandbox, ['notfound']);
		sandbox.faults.add({ fault: { type: 'drip', bytes: 100, intervalMs: 1 } });
		expect(await itemsOf(sandbox, forJob('download', jobId))).toHaveLength(1);
	});

	test('CSV as items is refused before anything is sent', async () => {
		const jobId = await seedJob(sandbox);
		const failure = await failureOf(sandbox, forJob('download', jobId, { options: { format: 'csv' } }));
		expect(failure.message).toBe('CSV can only be had as a file');
		expect(sandbox.requests).toEqual([]);
	});
});

describe('file', () => {
	const MEDIA = {
		csv: 'text/csv',
		json: 'application/json',
		xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
		xml: 'application/xml',
	} as const;
	const selections = ['acceptHeader', 'pathSuffix', 'queryParameter'];
	const cases = Object.entries(MEDIA).flatMap(([format, media]) =>
		selections.map((formatSelection) => ({ format, media, formatSelection })),
	);

	test.each(cases)(
		'$format by $formatSelection is untouched',
		async ({ format, media, formatSelection }) => {
			const jobId = await seedJob(sandbox, VALUES);
			const bytes = await fromService(`/v2/jobs/${jobId}/download`, media);
			const run = await runNode(
				sandbox,
				forJob('download', jobId, { output: 'file', options: { format } }),
				{
					credential: { formatSelection, customizeService: true },
				},
			);
			expect(errorOf(run)).toBeUndefined();
			const [item] = outputItems(run, 'Prices');
			if (!item) throw new Error('No item');
			expect((await binaryContent(item)).equals(bytes)).toBe(true);
			expect(item.binary?.data).toMatchObject({ fileName: `${jobId}.${format}`, mimeType: media });
			expect(item.json).toMatchObject({
				job_id: jobId,
				file_name: `${jobId}.${format}`,
				mime_type: media,
			});
			expect(item.pairedItem).toEqual({ item: 0 });
		},
	);

	test('goes under the chosen name and field', async () => {
		const jobId = await seedJob(sandbox);
		const options = { fileName: 'prices.json', binaryPropertyName: 'sheet' };
		const run = await runNode(sandbox, forJob('download', jobId, { output: 'file', options }));
		expect(outputItems(run, 'Prices')[0]?.binary?.sheet).toMatchObject({ fileName: 'prices.json' });
	});

	test('a file whose first result failed is a file, small or large', async () => {
		for (const values of [
			['fail-first'],
			['fail-first', ...Array.from({ length: 60 }, (_, index) => `value ${index}`)],
		]) {
			const jobId = await seedJob(sandbox, values);
			for (const format of ['json', 'xml']) {
				const run = await runNode(
					sandbox,
					forJob('download', jobId, { output: 'file', options: { format } }),
				);
				expect(errorOf(run)).toBeUndefined();
				const [item] = outputItems(run, 'Prices');
				if (!item) throw new Error('No item');
				expect(String(await binaryContent(item))).toContain('fail-first');
			}
		}
	});

	test('one that comes in small pieces is whole', async () => {
		const jobId = await seedJob(sandbox, ['fail-first', 'drill']);
		const bytes = await fromService(`/v2/jobs/${jobId}/download`, 'application/json');
		sandbox.faults.add({ fault: { type: 'drip', bytes: 900, intervalMs: 1 } });
		const run = await runNode(sandbox, forJob('download', jobId, { output: 'file' }));
		const [item] = outputItems(run, 'Prices');
		if (!item) throw new Error('No item');
		expect(String(await binaryContent(item))).toBe(String(bytes));
	});

	test.each([
		[
			'a refusal with a good status',
			{ type: 'refusal', reason: 'job forbidden', status: 200 },
			'The key has no access to this',
		],
		[
			'a refusal',
			{ type: 'refusal', reason: 'job forbidden', status: 403 },
			'The key has no access to this',
		],
		['a web page', { type: 'html' }, 'The service returned a web page instead of data'],
	] as const)('never becomes %s', async (_name, fault, message) => {
		const jobId = await seedJob(sandbox);
		for (const format of ['json', 'xml', 'csv', 'xlsx']) {
			sandbox.faults.clear();
			sandbox.faults.add({ times: 'always', fault });
			const parameters = forJob('download', jobId, { output: 'file', options: { format } });
			expect((await failureOf(sandbox, parameters)).message).toBe(message);
		}
	});

	test('never becomes a running job without results', async () => {
		sandbox.setOptions({ earlyDownload: 'withoutResults' });
		const jobId = await seedJob(sandbox, ['drill'], { running: true });
		for (const output of ['file', 'results']) {
			const failure = await failureOf(sandbox, forJob('download', jobId, { output }));
			expect(failure.message).toBe('The job is not finished, so there is nothing to download yet');
		}
	});

	test.each(['csv', 'xlsx', 'xml'])('never becomes JSON when %s was asked for', async (format) => {
		sandbox.setOptions({ formatSelection: ['suffix'] });
		for (const values of [['drill'], Array.from({ length: 200 }, (_, index) => `value ${index}`)]) {
			const jobId = await seedJob(sandbox, values);
			const parameters = forJob('download', jobId, { output: 'file', options: { format } });
			const failure = await failureOf(sandbox, parameters);
			expect(failure.message).toBe('The service does not offer this format here');
			expect(failure.description).toContain(
				`Asked for ${format.toUpperCase()}, but something else came.`,
			);
		}
	});

	test('starts over when the connection breaks', async () => {
		const jobId = await seedJob(
			sandbox,
			Array.from({ length: 100 }, (_, index) => `value ${index}`),
		);
		const bytes = await fromService(`/v2/jobs/${jobId}/download`, 'application/json');
		sandbox.faults.add({ match: { nth: [1, 2] }, fault: { type: 'truncate', length: false } });
		const run = await runNode(sandbox, forJob('download', jobId, { output: 'file' }));
		expect(errorOf(run)).toBeUndefined();
		const [item] = outputItems(run, 'Prices');
		if (!item) throw new Error('No item');
		expect((await binaryContent(item)).equals(bytes)).toBe(true);
		expect(sandbox.requests).toHaveLength(3);
	});
});

describe('redirects', () => {
	const credentials = [
		{ authentication: 'queryParameter' },
		{ authentication: 'header' },
		{ authentication: 'bearer' },
		{ authentication: 'basic', username: 'sandbox', password: 'sandbox-password' },
	];

	test.each(credentials)('to the same origin go on with the key: $authentication', async (credential) => {
		sandbox.setOptions({
			authentication: ['query', 'header', 'bearer', 'basic'],
			downloadRedirect: 'sameOrigin',
		});
		const jobId = await seedJob(sandbox, ['drill']);
		expect(await itemsOf(sandbox, forJob('download', jobId), { credential })).toHaveLength(1);
		expect(sandbox.requests.map(({ replyStatus }) => replyStatus)).toEqual([302, 200]);
	});

	test.each(credentials)('to another origin go on without it: $authentication', async (credential) => {
		sandbox.setOptions({
			authentication: ['query', 'header', 'bearer', 'basic'],
			downloadRedirect: 'otherOrigin',
		});
		const jobId = await seedJob(sandbox, VALUES);
		for (const output of ['results', 'file']) {
			for (const status of [301, 302, 303, 307, 308]) {
				sandbox.faults.clear();
				if (output === 'results') {
					sandbox.faults.add({
						fault: { type: 'redirect', to: 'otherOrigin', status, keepQuery: true },
					});
				}
				const run = await runNode(sandbox, forJob('download', jobId, { output }), { credential });
				expect(errorOf(run)).toBeUndefined();
				expect(items(run, 'Prices')).toHaveLength(output === 'file' ? 1 : 3);
			}
		}
		expect(sandbox.otherOriginRequests).toHaveLength(10);
		const seen = JSON.stringify(sandbox.otherOriginRequests);
		const basic = Buffer.from('sandbox:sandbox-password').toString('base64');
		for (const secret of [sandbox.apiKey, 'sandbox-password', basic]) expect(seen).not.toContain(secret);
		for (const { headers } of sandbox.otherOriginRequests) {
			expect(Object.keys(headers)).not.toContain('authorization');
			expect(Object.keys(headers)).not.toContain('x-api-key');
			expect(Object.keys(headers)).not.toContain('cookie');
		}
	});

	test('whose address holds the key in its path are not followed to another origin', async () => {
		const jobId = await seedJob(sandbox);
		const location = `${sandbox.otherOriginUrl}/${sandbox.apiKey}/file?x=1`;
		sandbox.faults.add({ fault: { type: 'reply', status: 302, headers: { location } } });
		const failure = await failureOf(sandbox, forJob('download', jobId));
		expect(failure.message).toBe('The service redirects to another address');
		expect(failure.description).toContain(`It points to ${sandbox.otherOriginUrl}/***/file.`);
		expect(sandbox.otherOriginRequests).toEqual([]);
	});

	test("keep another origin's own parameters, also one that is called like the key's", async () => {
		const jobId = await seedJob(sandbox);
		const location = `${sandbox.otherOriginUrl}/signed?token=ticket&expires=9&next=${sandbox.apiKey}`;
		sandbox.faults.add({ fault: { type: 'reply', status: 302, headers: { location } } });
		const failure = await failureOf(sandbox, forJob('download', jobId));
		expect(failure.message).toBe('The response is not what this endpoint returns');
		expect(sandbox.otherOriginRequests.map(({ url }) => url)).toEqual(['/signed?token=ticket&expires=9']);
	});

	test('in circles end, and say so', async () => {
		const jobId = await seedJob(sandbox);
		sandbox.faults.add({ fault: { type: 'redirect', to: 'loop' } });
		const failure = await failureOf(sandbox, forJob('download', jobId));
		expect(failure.message).toBe('The service redirects to another address');
		expect(sandbox.requests).toHaveLength(6);
	});

	test.each([{}, { location: 'ftp://files.example.test/x' }, { location: 'http://' }])(
		'that lead nowhere are named: %j',
		async (headers) => {
			const jobId = await seedJob(sandbox);
			sandbox.faults.add({
				fault: { type: 'reply', status: 302, headers: headers as Record<string, string> },
			});
			expect((await failureOf(sandbox, forJob('download', jobId))).message).toBe(
				'The service redirects to another address',
			);
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test('to a service that has moved are told from a wrong key', async () => {
		const moved = await startSandbox();
		const location = `${moved.url}/v2/me/usage_today`;
		sandbox.faults.add({ fault: { type: 'reply', status: 301, headers: { location } } });
		const failure = await failureOf(sandbox, { resource: 'usage', operation: 'getToday' });
		expect(failure.message).toBe('The service redirects to another address');
		expect(failure.description).toContain(`A redirect led to ${moved.url}/v2/me/usage_today.`);
		expect(JSON.stringify(moved.requests)).not.toContain(sandbox.apiKey);
		await moved.close();
	});
});

describe('values are counted in one hint', () => {
	const answered = (more: object) => ({
		job_id: 'j',
		status: 'finished',
		results: [{ query: { value: 'drill' }, success: true, content: { name: 'Drill' } }],
		...more,
	});

	test.each([
		['results', { requested: 3 }, '3 values: 1 found, 0 not found, 0 failed, 2 unanswered.'],
		['entries', { requested: '2' }, '2 values: 1 found, 0 not found, 0 failed, 1 unanswered.'],
		['results', { requested: 1, results: [] }, '1 value: 0 found, 0 not found, 0 failed, 1 unanswered.'],
		['results', { requested: 1 }, '1 value: 1 found, 0 not found, 0 failed.'],
		['results', { requested: '' }, '1 value: 1 found, 0 not found, 0 failed.'],
		['results', { requested: null }, '1 value: 1 found, 0 not found, 0 failed.'],
		['results', {}, '1 value: 1 found, 0 not found, 0 failed.'],
	])('with %s of a job that says %j', async (output, more, message) => {
		const body = JSON.stringify(answered(more));
		sandbox.faults.add({ fault: { type: 'reply', status: 200, body } });
		const run = await runNode(sandbox, forJob('download', 'j', { output }));
		expect(errorOf(run)).toBeUndefined();
		expect(hints(run, 'Prices')).toEqual([
			{ message: `1 job, ${message}`, type: 'info', location: 'outputPane' },
		]);
	});
});
