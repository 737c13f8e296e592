import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { useSandbox } from '../../support/useSandbox';
import { fail, reply } from '../support/core';
import { errorOf, items, runWorkflow, type Scenario } from '../support/harness';
import { callTrigger, listenForTestEvent, pollTrigger } from '../support/trigger';
import { finishedJob, triggerScenario } from '../support/triggerSupport';

const sandbox = useSandbox({ autoFinish: false });

const build = (
	type: INodeType,
	parameters: INodeParameters = {},
	credential: IDataObject = {},
): Scenario => ({
	...triggerScenario(sandbox, type, parameters, credential),
	mode: 'manual',
});
/** What each trigger's test button gives; for the webhook trigger, once something calls its test URL. */
const BUTTONS = {
	async polling(...given: [INodeParameters, IDataObject?]) {
		const found = await pollTrigger(build(new PriceCollectionPollingTrigger(), ...given), 'Ends');
		return (found?.[0] ?? []).map(({ json }) => json);
	},
	async webhook(parameters: INodeParameters, credential: IDataObject = {}, body: IDataObject = {}) {
		const scenario = build(new PriceCollectionTrigger(), parameters, credential);
		const { reply } = await callTrigger(scenario, 'Ends', { body });
		const run = await runWorkflow({ ...scenario, input: reply.workflowData?.[0] });
		const error = errorOf(run);
		if (error) throw error;
		return items(run, 'Ends');
	},
};
const TRIGGERS = Object.keys(BUTTONS) as Array<keyof typeof BUTTONS>;

/** Credentials that do not work, and what every operation of the node says about each. */
const BROKEN: Array<[string, IDataObject, string]> = [
	['a wrong key', { apiKey: 'wrong' }, 'The service did not accept the key'],
	['a dead host', { baseUrl: 'http://127.0.0.1:1' }, 'The service does not accept connections'],
];

describe.each(TRIGGERS)('the test event of the %s trigger', (trigger) => {
	const event = BUTTONS[trigger];

	it.each(BROKEN)(
		'says what is wrong with %s, and makes nothing up',
		async (_name, credential, message) => {
			const node = expect.objectContaining({ name: 'Ends' });
			await expect(event({}, credential)).rejects.toMatchObject({ message, node });
		},
	);

	it('says why the results of the latest job cannot be had', async () => {
		await finishedJob(sandbox);
		fail(sandbox, 'download', { type: 'htmlUnavailable' }, 'always');
		const message = 'The service is temporarily unavailable';
		await expect(event({ output: 'results' })).rejects.toMatchObject({ message });
	});

	it('is the latest job, without the mark of a sample', async () => {
		await finishedJob(sandbox);
		const jobId = await finishedJob(sandbox);
		const given = await event({ output: 'results' });
		expect(given.map(({ job_id }) => job_id)).toEqual([jobId, jobId]);
		expect(given.some((item) => 'sample' in item)).toBe(false);
	});

	it.each(
		trigger === 'webhook' ? ['job', 'notification', 'results', 'entries'] : ['job', 'results', 'entries'],
	)(
		'is a sample of the output %s, marked in its first column, where the account has no job',
		async (output) => {
			const given = await event({ output });
			expect(given.length).toBeGreaterThan(0);
			for (const item of given) {
				expect(Object.keys(item)[0]).toBe('sample');
				expect(item).toMatchObject({ sample: true, job_id: '1234567890abcdef12345678' });
			}
		},
	);

	it('is a sample with a price, so that it can be mapped', async () => {
		const best = { best_price: 12.9, best_currency: 'USD', best_shop: 'Sample Shop' };
		expect(await event({ output: 'results' })).toMatchObject([{ name: 'Sample Product', ...best }]);
		expect(await event({ output: 'entries' })).toMatchObject([{ price: '12.90' }]);
	});

	it('is a sample where the service has deleted the latest job since it was listed', async () => {
		const jobId = await finishedJob(sandbox);
		fail(sandbox, { pathPattern: `/${jobId}` }, reply({ error: 'job not found' }, 404), 'always');
		expect(await event({ output: 'results' })).toMatchObject([{ sample: true }]);
	});

	it('is a sample where jobs ended otherwise than the trigger listens for', async () => {
		await finishedJob(sandbox);
		expect(await event({ events: ['cancelled'] })).toMatchObject([{ sample: true }]);
	});
});

describe('the webhook trigger in the editor', () => {
	const listen = async (credential: IDataObject = {}, mode: Scenario['mode'] = 'manual') =>
		await listenForTestEvent({ ...build(new PriceCollectionTrigger(), {}, credential), mode }, 'Ends');

	it.each(BROKEN)('does not begin to listen with %s', async (_name, credential, message) => {
		await expect(listen(credential)).rejects.toMatchObject({ message });
	});

	it('asks for the usage, which costs nothing, and listens', async () => {
		expect(await listen()).toBe(true);
		expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /v2/me/usage_today',
		]);
	});

	it('shows why a job that a call names cannot be confirmed', async () => {
		await expect(BUTTONS.webhook({}, { apiKey: 'wrong' }, { job_id: 'abc' })).rejects.toMatchObject({
			message: 'The service did not accept the key',
		});
	});

	it('asks nothing when the workflow is activated', async () => {
		expect(await listen({ apiKey: 'wrong' }, 'trigger')).toBe(true);
		expect(sandbox.requests).toEqual([]);
	});
});
