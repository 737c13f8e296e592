import { forJob, runNode } from '../support/core';
import { binaryContent, errorOf, items, outputItems } from '../support/harness';
import { usePlainService } from '../support/plainService';

const service = usePlainService();

const RESULTS = {
	job_id: 'a',
	status: 'finished',
	results: [
		{ query: { value: 'Füller' }, success: true, content: { name: 'Füller für 5', color: 'weiß' } },
		{ query: { value: 'pen' }, success: true, content: { name: 'pen' } },
	],
};
const TEXT = JSON.stringify(RESULTS);
const DOWNLOAD = 'GET /v2/jobs/a/download';
const download = (more = {}) => forJob('download', 'a', { output: 'job', ...more });
const become = (body: Buffer, contentType = 'application/json') =>
	service.reset({
		'GET /v2/jobs/a': { body: { job_id: 'a', status: 'finished' } },
		[DOWNLOAD]: { body, headers: { 'content-type': contentType } },
	});

// `unit/service/http/decode/body` tests which bytes are read as what.
test.each<[string, Buffer]>([
	['application/json; charset=utf-16', Buffer.from(TEXT)],
	['application/json; charset=us-ascii', Buffer.from(TEXT)],
	['application/json', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
	['application/json; charset=iso-8859-1', Buffer.from(TEXT, 'latin1')],
])('JSON is read by its bytes, or else as %s declares', async (type, body) => {
	become(body, type);
	expect(items(await runNode(service, download()), 'Prices')).toEqual([RESULTS]);
});

test.each(['application/json', 'application/json; charset=utf-8', 'text/plain; charset=klingon'])(
	'an encoding that %s does not declare is not guessed',
	async (type) => {
		become(Buffer.from(TEXT, 'latin1'), type);
		const run = await runNode(service, download());
		expect(items(run, 'Prices')).toEqual([]);
		const { message = '', description } = errorOf(run) ?? {};
		expect(`${message} ${description}`).toContain(
			'The body is not valid UTF-8 and declares no other encoding that fits',
		);
	},
);

test.each([
	['in any encoding', Buffer.from(TEXT, 'latin1')],
	['behind any blanks', Buffer.from(`${' '.repeat(70_000)}${TEXT}`)],
])('a file %s is stored as it came', async (_name, body) => {
	become(body);
	const run = await runNode(service, download({ output: 'file' }));
	expect(errorOf(run)).toBeUndefined();
	const [file] = outputItems(run, 'Prices');
	if (!file) throw new Error('No file');
	expect((await binaryContent(file)).equals(body)).toBe(true);
});
