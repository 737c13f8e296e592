import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { forJob, runNode } from './core';
import { binaryContent, errorOf, hints, items, outputItems } from './harness';
import { usePlainService } from './plainService';
import { pollTrigger } from './trigger';
import { triggerScenario } from './triggerSupport';

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
	service.reset({ [DOWNLOAD]: { body, headers: { 'content-type': contentType } } });
/** What is said besides the count of jobs and values. */
const messages = (run: Parameters<typeof hints>[0]) =>
	hints(run, 'Prices')
		.map(({ message }) => message)
		.filter((message) => !/^\d+ jobs?[,.]/.test(message));

/** What is said of characters that had to be guessed, however many. */
const hintOn = (count: number) =>
	`${count > 0 ? 'Some' : 'No'} characters of the service's answers are not UTF-8, and no other encoding is named. They were read as Windows-1252, or are shown as \uFFFD: check the texts, or ask the service to name its charset.`;

describe('JSON', () => {
	// Which bytes are read as what is `unit/service/decode/body`.
	test.each<[string, Buffer, number]>([
		['application/json; charset=utf-16', Buffer.from(TEXT), 0],
		['application/json; charset=utf-8', Buffer.from(TEXT, 'latin1'), 4],
		['text/plain; charset=klingon', Buffer.from(TEXT, 'latin1'), 4],
	])(
		'is read by its bytes or as declared, %s, and a hint names what is neither',
		async (type, body, count) => {
			become(body, type);
			const run = await runNode(service, download());
			expect(items(run, 'Prices')).toEqual([RESULTS]);
			expect(messages(run)).toEqual(count === 0 ? [] : [hintOn(count)]);
		},
	);

	test('that is read for several items counts once in the hint', async () => {
		become(Buffer.from(TEXT, 'latin1'));
		const run = await runNode(service, download(), { input: [{}, {}] });
		expect(items(run, 'Prices')).toEqual([RESULTS, RESULTS]);
		expect(messages(run)).toEqual([hintOn(4)]);
	});

	test('is stored as it came', async () => {
		const body = Buffer.from(TEXT, 'latin1');
		become(body);
		const run = await runNode(service, download({ output: 'file' }));
		expect(errorOf(run)).toBeUndefined();
		const [file] = outputItems(run, 'Prices');
		if (!file) throw new Error('No file');
		expect((await binaryContent(file)).equals(body)).toBe(true);
	});

	test('that a trigger reads again and again is named in the log once', async () => {
		const warnings = jest.spyOn(Container.get(Logger), 'warn');
		const jobs = JSON.stringify([{ job_id: 'a', status: 'finished', value: 'weiß' }]);
		service.reset({ 'GET /v2/jobs': { body: Buffer.from(jobs, 'latin1') } });
		const scenario = triggerScenario(service, new PriceCollectionPollingTrigger(), {
			options: { emitExisting: true },
		});
		const rows = (await pollTrigger(scenario, 'Ends'))?.[0]?.map(({ json }) => json);
		expect(rows).toEqual([expect.objectContaining({ job_id: 'a', value: 'weiß' })]);
		await pollTrigger(scenario, 'Ends');
		expect(warnings.mock.calls.map(([text]) => text)).toEqual([`Ends: ${hintOn(1)}`]);
		warnings.mockRestore();
	});
});
