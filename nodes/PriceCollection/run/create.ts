import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { callbackExpiry, newNonce, signCallbackUrl, signatureHashOf } from '../callback/signature';
import { apiError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { errorItem, unlessItStops } from '../n8n/items';
import { jobsBySignature } from '../n8n/memory';
import type { ServiceClient } from '../service/client';
import { denialIn, isProven, mayHaveResults, TWICE_MS } from '../service/jobState';
import { plainField } from '../service/names';
import { traitsOf, type Problem } from '../service/problems';
import { ENDPOINTS, figureOf, type Job } from '../service/types';
import type { Purchase } from './formats';
import { formsFor, inEveryForm, lookupIn, refusesForm, type Form } from './forms';
import { identityIn, type Ledger } from './ledger';
import { identityOf } from './lookup/values';
import { JobListSearch } from './lost';
import { askingsOf, planJobs, prepare, separate, splitIntoSingles } from './plan';
import type { CreateSettings, PlannedJob } from './plan';
import { without, type Aside, type Creation } from './record';
import { bringsOwnValue } from './request';
import { Spending } from './spending';

/** Pause between two checks for a request that another execution has just sent, in milliseconds. */
const LOOK_EVERY_MS = 200;
const LONGEST_CREATION_MS = 60_000;

/** A refusal for a source or country that was not sent means that it is missing, not that it is misspelt. */
function asMissing(problem: Problem, sent: IDataObject): Problem {
	const named = /^unknown source$/i.test(problem.reason ?? '') ? 'source' : problem.parameter;
	const isMissing = problem.effect === 'none' && (named === 'source' || named === 'country');
	return isMissing && !(named in sent)
		? { ...problem, kind: 'missingParameter', parameter: named }
		: problem;
}

/** Adds the signature to the callback URL, if there is one and the credential has a secret. */
function withSignedCallback(client: ServiceClient, parameters: IDataObject, nonce: string): IDataObject {
	const { webhookUrlParameter, webhookSecret } = client.connection;
	const url = parameters[webhookUrlParameter];
	if (typeof url !== 'string' || url === '' || webhookSecret === '') return parameters;
	const expiresAt = callbackExpiry(client.clock.now(), Number(parameters.timeout ?? NaN));
	const signed = signCallbackUrl(url, webhookSecret, { expiresAt, nonce });
	return { ...parameters, [webhookUrlParameter]: signed };
}

const EARLIER_TRY: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };
const OUT_OF_TIME: Problem = {
	kind: 'timedOut',
	endpoint: ENDPOINTS.create,
	effect: 'none',
	detail: 'n8n is about to end this execution (Timeout Workflow), so nothing was sent for these values',
};

/** Whether another execution in this process may have just sent the request and be waiting for the reply. */
const isPending = ({ jobId, lostAt, sentAt }: Creation, now: number) =>
	jobId === undefined && lostAt === undefined && now < sentAt + LONGEST_CREATION_MS;

/** The values that a job buys, by item. */
const buysOf = ({ request: { key }, requesters }: PlannedJob) =>
	requesters.flatMap(({ item, asks = [] }) =>
		asks.map(([, value]): [number, string] => [item, identityOf(key, value)]),
	);

/** Creates planned jobs, or takes up those that exist. */
class Creator {
	readonly records: PlannedJob[] = [];
	readonly failures: Array<{ planned: PlannedJob; problem: Problem }> = [];
	readonly spending: Spending;
	private readonly search: JobListSearch;
	private readonly stop?: AbortSignal;
	private readonly ledger: Ledger;
	/** What the service took after it had refused another form of the lookup values. */
	private accepted?: Form;
	/** Why nothing more is sent. */
	private stopping?: Problem;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly client: ServiceClient,
		private readonly settings: CreateSettings,
		private readonly onCreated: (jobId: string) => void,
	) {
		this.ledger = settings.ledger;
		this.stop = context.getExecutionCancelSignal();
		this.search = new JobListSearch(client, this.stop);
		this.spending = new Spending(settings.fields, client.connection);
	}

	/**
	 * Takes up the job of an earlier request, or creates it.
	 *
	 * @param refused what the service said to forms of the lookup values that were tried before
	 */
	async obtain(
		planned: PlannedJob,
		forms = formsFor(this.client.connection.lookupValues, planned.request.values.length),
		refused: readonly Problem[] = [],
	): Promise<void> {
		const { client, ledger, settings } = this;
		if (client.clock.now() > (settings.latest ?? Infinity)) this.stopping ??= OUT_OF_TIME;
		if (this.stopping !== undefined) return this.fail(planned, this.stopping);
		if (await this.resume(planned)) return;
		// Another execution may have asked the same meanwhile. Nothing else happens from here until it is recorded.
		const { known, rest } = separate(askingsOf(planned), ledger, client.connection.webhookUrlParameter);
		if (known.length === 0) return await this.create(planned, forms, refused);
		for (const job of [...known, ...planJobs(rest, 'combine', Infinity)])
			await (refused.length > 0 ? this.obtain(job, forms, refused) : this.obtain(job));
	}

	/** Notes that there is no job, and whether anything more may be sent. */
	private fail(planned: PlannedJob, why: Problem): void {
		// n8n only shows a run as stopped if its error says so.
		const problem: Problem = this.stop?.aborted === true ? { ...why, kind: 'stopped' } : why;
		this.failures.push({ planned, problem });
		// For jobs that were not attempted, nothing was created.
		const detail = problem.effect === 'unknown' ? undefined : problem.detail;
		if (traitsOf(problem).accountWide || !this.context.continueOnFail())
			this.stopping ??= { ...problem, detail, effect: 'none' };
	}

	/** Notes the job that exists now. Values that were bought in several ways may be of one job. */
	private exists(planned: PlannedJob, purchase: Purchase, job: Job): void {
		const booked = figureOf(plainField(job, 'booked')) ?? purchase.creation.booked;
		const creation = without({ ...purchase.creation, jobId: job.job_id, booked }, 'doubt');
		let { request } = planned;
		if (planned.purchase !== undefined) {
			// Items that ask the same share it. It may have bought more than is asked for now, and its results are
			// told apart by all of it.
			this.ledger.add(purchase, buysOf(planned));
			request = { ...request, values: [...new Set(purchase.buys.map(identityIn))] };
		}
		this.ledger.note(purchase, creation);
		if (creation.signatureHash !== undefined) jobsBySignature.set(creation.signatureHash, job.job_id);
		this.onCreated(job.job_id);
		const record = {
			...without(planned, 'purchase'),
			request,
			job,
			end: this.client.endOf(job.status),
			creation,
		};
		this.spending.add(record);
		const same = this.records.find((one) => one.job.job_id === job.job_id);
		if (same === undefined) this.records.push(record);
		else same.requesters.push(...record.requesters);
	}

	/** Records the request for a planned job, before it is sent. */
	private open(planned: PlannedJob, creation: Creation): Purchase {
		const { parameters } = planned.request;
		const what = this.ledger.whatOf(parameters, this.client.connection.webhookUrlParameter);
		return this.ledger.open(what, buysOf(planned), creation, planned.request);
	}

	/** Takes up the job of an earlier request for these values; false if the request must be sent. */
	private async resume(planned: PlannedJob): Promise<boolean> {
		const { ledger, stop } = this;
		const { clock } = this.client;
		const { purchase } = planned;
		if (purchase === undefined) {
			if (ledger.gap === undefined) return false;
			// A request that nobody recorded may have been sent.
			const { from = 0, to } = ledger.gap;
			const unrecorded = this.open(planned, { sentAt: from, lostAt: to, executionId: '' });
			return (await this.recover(planned, unrecorded)) !== 'absent';
		}
		const isAtWork = () => ledger.has(purchase) && isPending(purchase.creation, clock.now());
		while (ledger.isShared && isAtWork() && stop?.aborted !== true)
			await clock.pause(LOOK_EVERY_MS, stop);
		if (!ledger.has(purchase)) return false;
		const { jobId } = purchase.creation;
		if (jobId === undefined) return (await this.recover(planned, purchase)) !== 'absent';
		const job = ledger.isShared ? await this.lastingJob(jobId) : { job_id: jobId, status: '' };
		if (job === undefined) ledger.drop(purchase);
		else this.exists(planned, purchase, job);
		return job !== undefined;
	}

	/**
	 * Asks for the job of an earlier execution, whose values are bought again if it is gone, failed or cancelled. One
	 * odd reply does not decide that: the service must say so twice. Until then, the job counts.
	 */
	private async lastingJob(jobId: string): Promise<Job | undefined> {
		const { clock, endOf, getJob } = this.client;
		const ask = async () => {
			const seen = await getJob(jobId);
			const job: Job = seen.ok ? seen.value : { job_id: jobId, status: '' };
			const isLost = seen.ok
				? !mayHaveResults({ end: endOf(job.status) })
				: denialIn(seen.problem) === 'gone';
			return { job, isLost };
		};
		const first = await ask();
		if (!first.isLost) return first.job;
		const deniedSince = clock.now();
		await clock.pause(TWICE_MS, this.stop);
		const second = await ask();
		return second.isLost && isProven(deniedSince, clock.now()) ? undefined : second.job;
	}

	/**
	 * Looks for the job of a creation without reply in the job list. Only the list decides, and nothing is created.
	 *
	 * @param lost the problem of a creation of this try, which is never proven absent; one of an earlier try may be
	 */
	private async recover(
		planned: PlannedJob,
		purchase: Purchase,
		lost?: Problem,
	): Promise<'absent' | 'settled'> {
		const { ledger } = this;
		const { creation, sent: request = planned.request } = purchase;
		const { nonce, sentAt, lostAt: to = sentAt } = creation;
		const [known, hasGaps, from] = [ledger.jobs(), ledger.gap !== undefined, sentAt || undefined];
		const isEarlier = lost === undefined;
		const seen = await this.search.find({ nonce, hasGaps, from, to, request, known }, isEarlier);
		if (seen.kind === 'absent') {
			ledger.drop(purchase);
			return 'absent';
		}
		ledger.note(purchase, {
			...creation,
			...(seen.kind === 'ours' ? { recovered: true } : { lostAt: to, doubt: seen.detail }),
		});
		if (seen.kind === 'ours') this.exists(planned, purchase, seen.job);
		else {
			// The jobs that the list names belong in the text of the original problem.
			const { detail, ...problem } = lost ?? EARLIER_TRY;
			this.fail(planned, { ...problem, detail: [detail, seen.detail].filter(Boolean).join('. ') });
		}
		return 'settled';
	}

	/**
	 * Creates a job. With Lookup Values set to Automatic, a service that refuses the form of the values gets the
	 * other forms, each once, several values at last as single jobs.
	 */
	private async create(
		planned: PlannedJob,
		forms: readonly Form[],
		refused: readonly Problem[],
	): Promise<void> {
		const { parameters, values } = planned.request;
		const own = bringsOwnValue(parameters);
		const refusals = [...refused];
		for (const form of this.accepted === undefined ? forms : [this.accepted]) {
			if (form === 'single' && values.length > 1 && !own) {
				for (const single of splitIntoSingles(planned))
					await this.obtain(single, ['single'], refusals);
				return;
			}
			const problem = await this.send(planned, form);
			if (problem === 'created' && refusals.length > 0) this.accepted = form;
			if (typeof problem === 'string') return;
			const isOfForm = !own && this.accepted === undefined && refusesForm(problem);
			if (!isOfForm) return this.fail(planned, asMissing(problem, parameters));
			refusals.push(problem);
		}
		this.fail(planned, inEveryForm(refusals));
	}

	/** Sends the request for one job; it is never repeated blindly. Returns the problem if certainly nothing was created. */
	private async send(planned: PlannedJob, form: Form): Promise<Problem | 'created' | 'settled'> {
		const { client, ledger, settings } = this;
		const tooMuch = this.spending.refusalOf(planned);
		if (tooMuch !== undefined) return tooMuch;
		const nonce = newNonce();
		const parameters = withSignedCallback(client, planned.request.parameters, nonce);
		const lookup = bringsOwnValue(parameters) ? {} : lookupIn(form, planned.request.values);
		const signatureHash = signatureHashOf(parameters[client.connection.webhookUrlParameter]);
		const executionId = this.context.getExecutionId();
		const creation = { sentAt: client.clock.now(), executionId, nonce, signatureHash };
		const purchase = this.open(planned, creation);
		const timeoutMs = settings.fields.timeoutMs();
		const reply = await client.createJob({ ...parameters, ...lookup }, { timeoutMs });
		if (reply.ok) {
			this.exists(planned, purchase, reply.value);
			return 'created';
		}
		const { problem } = reply;
		if (problem.effect === 'none') {
			ledger.drop(purchase);
			return problem;
		}
		ledger.note(purchase, { ...creation, lostAt: client.clock.now() });
		await this.recover(planned, purchase, problem);
		return 'settled';
	}
}

/** Names the jobs that exist, or may exist, although a request failed, from all attempts. */
function existingText(ledger: Ledger, created: readonly PlannedJob[], failed: Problem): string | undefined {
	const creations = ledger.creations();
	const known = [...created.map(({ job }) => job.job_id), ...creations.flatMap(({ jobId }) => jobId ?? [])];
	const ids = [...new Set(known)].join(', ');
	const advice = 'Use Wait or Download to get their results, or retry this execution.';
	const exist = ids && `These jobs were created and are running: ${ids}. ${advice}`;
	const isOther = (doubt: string) => failed.detail?.includes(doubt) !== true;
	const doubts = new Set(creations.flatMap(({ doubt }) => doubt ?? []).filter(isOther));
	return (
		[exist, ...[...doubts].map((doubt) => `An earlier request: ${doubt}`)].filter(Boolean).join(' ') ||
		undefined
	);
}

/**
 * Plans the jobs of a run and creates them one after the other, except those that an earlier attempt created.
 *
 * @param onCreated called with the ID of each job as soon as the job is known to exist
 * @returns all of these jobs, and the output of items without one, such as error items for failed creations
 * @throws NodeApiError for a failed creation, unless the node continues; it names the existing jobs
 * @throws NodeOperationError for invalid requests, and for costs above the user's limit
 */
export async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	settings: CreateSettings,
	onCreated: (jobId: string) => void = () => undefined,
): Promise<{ records: PlannedJob[]; asides: Aside[] }> {
	const { plan, asides } = await prepare(context, client, settings);
	const creator = new Creator(context, client, settings, onCreated);
	for (const planned of plan) await creator.obtain(planned);
	const { records, failures, spending } = creator;
	const errors = failures.flatMap(({ planned, problem }): Aside[] => {
		const items = planned.requesters.map(({ item }) => item);
		const existing = existingText(settings.ledger, records, problem);
		const error = unlessItStops(context, apiError(context.getNode(), problem, items, existing));
		return items.map((item) => ({ item, place: 0, error: errorItem(error, item).json }));
	});
	const found = records.filter(({ creation }) => creation?.recovered === true).map(({ job }) => job.job_id);
	const said = `The answer to a request was lost, but the job list has the job (${found.join(', ')}), so nothing was created twice.`;
	if (found.length > 0) hint(context, said);
	spending.sayExcess(context);
	return { records, asides: [...asides, ...errors] };
}
