import { until } from '../../../support/until.cjs';
import { cancelJob, createJob, finishedJob } from '../../../engine/support/triggerSupport';
import { connect, node } from '../../../engine/support/workflow';
import { POLLING_TRIGGER_TYPE } from '../harness/e2e';
import { inParallel } from '../harness/effects';
import {
	activate,
	callUntilHeard,
	inDatabase,
	settle,
	useTriggerLab,
	webhookTrigger,
} from '../harness/triggers';

// n8n's Remove Duplicates reads and writes without a lock, so it only works if executions run one after another.
const lab = useTriggerLab({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });

it('both triggers beside each other give each of 36 ends once where executions take turns, also those whose callback was lost', async () => {
	const [called, path] = webhookTrigger(await lab.credential(), { events: ['any'] });
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const { credentials } = called;
	const once = {
		operation: 'removeItemsSeenInPreviousExecutions',
		logic: 'removeItemsWithAlreadySeenKeyValues',
		dedupeValue: '={{ $json.job_id }}',
		options: {},
	};
	const id = await activate(
		lab.n8n.client,
		[
			called,
			node(
				'Polled',
				POLLING_TRIGGER_TYPE,
				{ events: ['any'], output: 'job', pollTimes },
				{ credentials },
			),
			node('Once', 'n8n-nodes-base.removeDuplicates', once, { typeVersion: 2 }),
			lab.effects.report(),
		],
		connect({ Ends: ['Once'], Polled: ['Once'], Once: ['Report'] }),
	);
	// n8n calls a workflow active before it has polled, and the trigger ignores jobs that ended before the first poll.
	await until('the first poll has found no job', () =>
		inDatabase(lab.n8n, 'SELECT staticData FROM workflow_entity WHERE id = ?', id).some(
			({ staticData }) => String(staticData).includes(POLLING_TRIGGER_TYPE),
		),
	);
	const jobIds: string[] = [];
	for (let n = 0; n < 36; n++) jobIds.push(await createJob(lab.sandbox));
	for (const [n, jobId] of jobIds.entries()) {
		if (n % 9 === 0) await cancelJob(lab.sandbox, jobId);
		else lab.sandbox.finishJob(jobId);
	}
	// A third of them get no call, and a third of those were cancelled.
	const heard = jobIds.filter((_, n) => n % 3 !== 0);
	await inParallel(
		heard,
		20,
		async (jobId) => await callUntilHeard(`${lab.n8n.url}/webhook/${path}`, jobId),
	);
	await lab.reported(jobIds.length, 200_000);
	const polls = () => lab.sandbox.requests.filter(({ path: asked }) => asked.endsWith('/v2/jobs')).length;
	const before = polls();
	await until('another poll, which sees everything again', () => polls() > before);
	await settle(lab.n8n);
	await lab.n8n.client.deactivate(id);
	expect(lab.effects.jobIds().sort()).toEqual([...jobIds].sort());
}, 500_000);

it('a polling trigger misses no end while its node is renamed, and its memory stays one', async () => {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const credentials = { priceCollectionApi: await lab.credential() };
	const workflow = (name: string) => ({
		nodes: [
			node(
				name,
				POLLING_TRIGGER_TYPE,
				{ events: ['any'], output: 'job', pollTimes },
				{ credentials, id: 'the-trigger' },
			),
			lab.effects.report(),
		],
		connections: connect({ [name]: ['Report'] }),
	});
	const { nodes, connections } = workflow('Polled');
	const id = await activate(lab.n8n.client, nodes, connections);
	const memory = () =>
		inDatabase(lab.n8n, 'SELECT staticData FROM workflow_entity WHERE id = ?', id).flatMap(
			({ staticData }) => {
				const { global = {} } = JSON.parse(String(staticData ?? '{}')) as { global?: object };
				return Object.keys(global);
			},
		);
	const keys = [`${POLLING_TRIGGER_TYPE} ${id} the-trigger`];
	await until('the first poll has found no job', () => memory().length > 0);
	const jobId = await finishedJob(lab.sandbox);
	await lab.n8n.client.call('PATCH', `/rest/workflows/${id}`, workflow('Ended jobs'));
	await lab.n8n.client.activate(id);
	await lab.reported(1, 200_000);
	const later = await finishedJob(lab.sandbox);
	await lab.reported(2, 200_000);
	await settle(lab.n8n);
	await lab.n8n.client.deactivate(id);
	expect([lab.effects.jobIds(), memory()]).toEqual([[jobId, later], keys]);
}, 500_000);
