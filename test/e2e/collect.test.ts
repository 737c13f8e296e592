import { startN8n } from '../../tools/n8n/instance.cjs';
import type { N8nInstance } from '../../tools/n8n/instance.cjs';
import { until } from '../../tools/until.cjs';
import { connect } from '../engine/workflow';
import {
	collect,
	finishJob,
	linked,
	requestsAbout,
	rowsOf,
	sandbox,
	suspendOnTimer,
	suspendUntilWebhook,
} from './harness/collecting';
import type { Suspended } from './harness/collecting';
import { createCredential, runWorkflow, unique, waitForOutcome } from './harness/e2e';
import type { CredentialReference, Outcome } from './harness/e2e';
import { runExample } from './harness/examples';

const TIMERS_MS = 420_000;

let credential: CredentialReference;
/** An n8n that is killed on the way. */
let mortal: N8nInstance;
let durable: Suspended;
let webhook: Suspended;
let durableExample: Promise<Outcome>;

beforeAll(async () => {
	credential = await createCredential();
	durableExample = runExample('durable-polling-loop', { priceCollectionApi: credential });
	// Looked at later; until then nobody hears of a failure.
	durableExample.catch(() => undefined);
	mortal = await startN8n();
	durable = await suspendOnTimer(mortal.client);
	webhook = await suspendUntilWebhook(mortal.client);
});

afterAll(async () => {
	await mortal?.remove();
});

it('collects 700 values for 1,000 items with one job and one download, every row linked to its item', async () => {
	const mark = unique('item');
	const input = Array.from({ length: 1000 }, (_, index) => ({
		id: `id-${index}`,
		term: `${mark} ${index % 700}`,
	}));
	const outcome = await runWorkflow(
		[collect({}), linked],
		connect({ Start: ['Collect'], Collect: ['Linked'] }),
		{ credential, input },
	);
	expect(outcome.error).toBeUndefined();
	expect(outcome.items('Linked').map(({ linked: id, value }) => [id, value])).toEqual(
		input.map(({ id, term }) => [id, term]),
	);
	const creations = await requestsAbout(mark);
	expect(creations.map(({ method, path: route }) => `${method} ${route}`)).toEqual(['POST /v2/jobs']);
	const [job] = (await sandbox<Array<{ job_id: string; values: string[] }>>('GET', 'jobs')).filter(
		({ values }) => values.includes(`${mark} 0`),
	);
	const about = await requestsAbout(String(job?.job_id));
	const downloads = about.filter(({ path: route }) => route.endsWith('/download'));
	expect(downloads).toHaveLength(1);
	expect(about.length).toBeLessThan(8);
});

describe('the examples', () => {
	const OUR_PRICES = [
		['A-100', '4006381333931', 40.79, 'BuyMore "24"'],
		['A-101', '5901234123457', 858.85, 'BuyMore "24"'],
		['A-102', '9780201379624', 116.85, 'Müller & Söhne'],
		['B-200', '4006381333931', 40.79, 'BuyMore "24"'],
	];
	const ourPrices = (outcome: Outcome) =>
		outcome
			.items('Your own steps')
			.map(({ sku, value, best_price, best_shop }) => [sku, value, best_price, best_shop]);

	it('suspend-until-webhook gives every product its price', async () => {
		const outcome = await runExample('suspend-until-webhook', { priceCollectionApi: credential });
		expect(outcome.error).toBeUndefined();
		expect(ourPrices(outcome)).toEqual(OUR_PRICES);
	});

	it(
		'durable-polling-loop gives every product its price',
		async () => {
			const outcome = await durableExample;
			expect(outcome.error).toBeUndefined();
			expect(ourPrices(outcome)).toEqual(OUR_PRICES);
		},
		TIMERS_MS,
	);
});

describe('across a kill -9 of n8n', () => {
	const rounds = async () =>
		(
			await waitForOutcome(durable.outcome, { until: ['waiting'], timeoutMs: TIMERS_MS }, mortal.client)
		).rounds('Wait');

	async function untilRounds(count: number): Promise<void> {
		await until(`${count} rounds of the Wait node`, async () => (await rounds()) >= count, TIMERS_MS);
	}

	/** Long enough to kill n8n between two of its timers. */
	const UNDISTURBED_MS = 20_000;

	async function sleeps({ outcome: { id } }: Suspended, atLeastMs: number): Promise<boolean> {
		const { status, waitTill } = await mortal.client.statusOf(id);
		return status === 'waiting' && Date.parse(waitTill ?? '') - Date.now() >= atLeastMs;
	}

	/** Neither has crashed: that would be its end. */
	const untilBothSleep = async (atLeastMs = -Infinity) =>
		await until(
			'both runs sleep',
			async () => (await sleeps(durable, atLeastMs)) && (await sleeps(webhook, atLeastMs)),
		);

	it(
		'the webhook mode resumes at the callback, and the durable loop outlives three timers',
		async () => {
			await untilRounds(1);
			await untilBothSleep(UNDISTURBED_MS);
			await mortal.kill9();
			await mortal.restart();
			await untilBothSleep();

			await finishJob(webhook.jobId);
			const woken = await waitForOutcome(webhook.outcome, {}, mortal.client);
			expect(woken.status).toBe('success');
			expect(rowsOf(woken)).toEqual(webhook.rows);
			const jobs = await sandbox<Array<{ job_id: string; webhookUrl: string }>>('GET', 'jobs');
			const { webhookUrl = '' } = jobs.find(({ job_id }) => job_id === webhook.jobId) ?? {};
			expect((await fetch(webhookUrl, { method: 'POST' })).status).toBe(409);

			await untilRounds(3);
			await finishJob(durable.jobId);
			const finished = await waitForOutcome(durable.outcome, { timeoutMs: TIMERS_MS }, mortal.client);
			expect(finished.status).toBe('success');
			expect(finished.rounds('Wait')).toBeGreaterThanOrEqual(4);
			expect(rowsOf(finished)).toEqual(durable.rows);
			expect((await requestsAbout(`${String(durable.jobId)}/download`)).length).toBe(1);
		},
		TIMERS_MS,
	);
});
