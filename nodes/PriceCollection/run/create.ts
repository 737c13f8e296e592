import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { callbackExpiry, newNonce, signCallbackUrl, signatureHashOf } from '../callback/signature';
import { apiError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import type { ServiceClient } from '../service/client';
import type { ConnectionSettings } from '../service/connection';
import { plainField } from '../service/names';
import { ENDPOINTS, figureOf, type Job } from '../service/types';
import type { JobList } from '../service/jobList';
import { failure, isFinal, success, traitsOf, type Outcome, type Problem } from '../service/problems';
import type { Ledger } from './ledger';
import { without, type Aside, type Creation } from './lookup/record';
import { prepare, Spending, splitIntoSingles, type CreateSettings, type PlannedJob } from './plan';
import { bringsOwnValue } from './readItems';
import { AT_WORK_MS, findLostJob, readRecentJobs } from './recover';

/** Pause between two checks for a request that another execution has just sent, in milliseconds. */
const LOOK_EVERY_MS = 200;
const LONGEST_CREATION_MS = 60_000;
/** The job list is read at once and again after these pauses, because a slow service lists a job late. */
const LOOK_AGAIN_AFTER_MS = [1_500, 4_000];

/** How the lookup values are sent: as `value`, as lines of `values`, or as a list in `values`. */
type Form = Exclude<ConnectionSettings['lookupValues'], 'automatic'>;

/** A job to create, the forms to try, in their order, and what the service said to others. */
interface Queued {
	planned: PlannedJob;
	forms: readonly [Form, ...Form[]];
	refusals: readonly Problem[];
}

function formsFor(setting: ConnectionSettings['lookupValues'], values: readonly string[]): Queued['forms'] {
	if (setting !== 'automatic') return [setting];
	return values.length === 1 ? ['single', 'list', 'array'] : ['list', 'array', 'single'];
}

function lookupIn(form: Form, values: readonly string[]): IDataObject {
	if (form === 'array') return { values: [...values] };
	return { [form === 'single' ? 'value' : 'values']: values.join('\n') };
}

/** Documented reasons that are about a value itself or the number of values, in whatever form they are sent. */
const ABOUT_VALUES = /^(invalid value|value disabled|too many values|no product)/i;
/** A documented reason that is about any parameter. */
const ABOUT_PARAMETER = /parameter value invalid/i;

/** Whether nothing was created because of the form of the lookup values, so that another one may be accepted. */
function refusesForm(problem: Problem): boolean {
	const { effect, parameter, reason = '', comment = '' } = problem;
	if (effect !== 'none' || traitsOf(problem).accountWide || ABOUT_VALUES.test(reason)) return false;
	if (parameter !== undefined) return /^values?(\[\])?$/i.test(parameter);
	return /\bvalues?\b/i.test(`${reason.replace(ABOUT_PARAMETER, '')} ${comment}`);
}

/** The refusal of the usual form, with what the service said to the others. */
function inEveryForm(refusals: readonly Problem[]): Problem {
	const [usual, ...others] = refusals as [Problem, ...Problem[]];
	const words = others.map(({ reason, comment }) => `"${[reason, comment].filter(Boolean).join(': ')}"`);
	const detail = `The other forms of the lookup values were refused as well: ${words.join(', ')}`;
	return others.length === 0 ? usual : { ...usual, detail };
}

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

interface Creating {
	client: ServiceClient;
	ledger: Ledger;
	identify: (planned: PlannedJob) => string;
	spending: Spending;
	/** The execution that the jobs call back, if any. */
	executionId: string;
	timeoutMs?: number;
	/** The latest reading of the job list. */
	last?: { readAt: number; list: Outcome<JobList> };
}

/** The planned job with the job that exists now, which is recorded in the ledger. */
function created({ client, ledger, identify }: Creating, planned: PlannedJob, job: Job, creation: Creation) {
	const booked = figureOf(plainField(job, 'booked')) ?? creation.booked;
	const noted = without({ ...creation, jobId: job.job_id, booked }, 'doubt');
	ledger.note(identify(planned), noted);
	return success({ ...planned, job, end: client.endOf(job.status), creation: noted });
}

/** Finds the job of a creation without reply in the job list; undefined when certainly none was created. */
async function recover(creating: Creating, planned: PlannedJob, creation: Creation, problem: Problem) {
	const { client, ledger, identify } = creating;
	const lost = { creation, request: planned.request, known: ledger.jobIds(), hasGaps: ledger.hasGaps };
	// Before that, a missing job proves nothing.
	const enteredBy = (creation.lostAt ?? creation.sentAt) + AT_WORK_MS;
	let said = '';
	for (const wait of [0, ...LOOK_AGAIN_AFTER_MS]) {
		if (wait > 0) await client.clock.pause(wait);
		// A list that was read late enough for this request is used again.
		if (creating.last === undefined || creating.last.readAt <= enteredBy)
			creating.last = { readAt: client.clock.now(), list: await readRecentJobs(client) };
		const seen = findLostJob(client, creating.last.list, lost);
		if (seen.kind === 'ours')
			return created(creating, planned, seen.job, { ...creation, recovered: true });
		if (seen.kind === 'absent' && creating.last.readAt > enteredBy) return undefined;
		said = seen.detail;
		if (seen.kind === 'unclear') break;
	}
	ledger.note(identify(planned), { ...creation, doubt: said });
	// The jobs that the list names belong in the text of the original problem.
	const detail = problem.detail === undefined ? said : `${problem.detail}. ${said}`;
	return failure({ ...problem, detail });
}

/** The job of an earlier attempt at this request; undefined when the request must be sent. */
async function resumeExisting(creating: Creating, planned: PlannedJob) {
	const { client, ledger, identify } = creating;
	const find = () => ledger.find(identify(planned));
	// Another execution in this process may have just sent the request and be waiting for the reply.
	const isPending = ({ jobId, lostAt, sentAt }: Creation) =>
		jobId === undefined && lostAt === undefined && client.clock.now() < sentAt + LONGEST_CREATION_MS;
	let creation = find();
	while (ledger.isOfTool && creation !== undefined && isPending(creation)) {
		await client.clock.pause(LOOK_EVERY_MS);
		creation = find();
	}
	if (creation === undefined) return undefined;
	const { jobId, sentAt, lostAt = sentAt } = creation;
	if (jobId !== undefined) {
		const asKnown = { job_id: jobId, status: '' };
		const seen = ledger.isOfTool ? await client.getJob(jobId) : success(asKnown);
		// The service may not know a new job yet.
		const isGone = seen.ok
			? ['cancelled', 'failed'].includes(client.endOf(seen.value.status) ?? '')
			: isFinal(seen.problem, 'status') && client.clock.now() > sentAt + AT_WORK_MS;
		return isGone ? undefined : created(creating, planned, seen.ok ? seen.value : asKnown, creation);
	}
	// A slow service may list the job late.
	await client.clock.pause(lostAt + AT_WORK_MS + 1 - client.clock.now());
	const problem: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };
	return await recover(creating, planned, { ...creation, lostAt }, problem);
}

/**
 * Creates one job, unless an earlier attempt of the node created it. When it is unknown whether a job was
 * created, the job list decides; the request is never repeated blindly.
 */
async function createOne(creating: Creating, planned: PlannedJob, form: Form): Promise<Outcome<PlannedJob>> {
	const { client, ledger, identify, spending, executionId, timeoutMs } = creating;
	const existing = await resumeExisting(creating, planned);
	if (existing !== undefined) return existing;
	const tooMuch = spending.refusalOf(planned);
	if (tooMuch !== undefined) return failure(tooMuch);
	const identity = identify(planned);
	const nonce = newNonce();
	const { parameters: asked, values } = planned.request;
	const parameters = withSignedCallback(client, asked, nonce);
	const lookup = bringsOwnValue(parameters) ? {} : lookupIn(form, values);
	const signatureHash = signatureHashOf(parameters[client.connection.webhookUrlParameter]);
	const sent: Creation = { sentAt: client.clock.now(), executionId, nonce, signatureHash };
	ledger.note(identity, sent);
	const reply = await client.createJob({ ...parameters, ...lookup }, { timeoutMs });
	if (reply.ok) return created(creating, planned, reply.value, sent);
	const isRefused = reply.problem.effect === 'none';
	const lost = { ...sent, lostAt: client.clock.now() };
	ledger.note(identity, isRefused ? undefined : lost);
	return (isRefused ? undefined : await recover(creating, planned, lost, reply.problem)) ?? reply;
}

/** Names the jobs that exist, or may exist, although a request failed, from all attempts. */
function existingText(ledger: Ledger, records: readonly PlannedJob[], failed: string): string | undefined {
	const lost = ledger.find(failed);
	const others = ledger.requests().filter((one) => one !== lost);
	const earlier = others.flatMap(({ jobId }) => jobId ?? []);
	const ids = [...new Set([...records.map(({ job }) => job.job_id), ...earlier])].join(', ');
	const advice = 'Use Wait or Download to get their results, or retry this execution.';
	const exist = ids && `These jobs were created and are running: ${ids}. ${advice}`;
	const doubts = others.map(({ doubt }) => doubt && `An earlier request: ${doubt}`);
	return [exist, ...doubts].filter(Boolean).join(' ') || undefined;
}

/**
 * Plans the jobs of a run and creates them one after the other, except those that an earlier attempt created.
 * With Lookup Values set to Automatic, a service that refuses the form of the values gets the other forms, each
 * once, several values at last as single jobs. The form that it then accepts is used for the rest of the run.
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
	const { fields, ledger } = settings;
	const { plan, asides, identify } = await prepare(context, client, settings);
	const executionId = context.getExecutionId();
	const spending = new Spending(fields, client.connection);
	const creating = { client, ledger, identify, spending, executionId, timeoutMs: fields.timeoutMs() };
	const goesOn = context.continueOnFail();
	const { lookupValues } = client.connection;
	const records: PlannedJob[] = [];
	const failures: Array<{ planned: PlannedJob; problem: Problem }> = [];
	const queue = plan.map((planned): Queued => {
		return { planned, forms: formsFor(lookupValues, planned.request.values), refusals: [] };
	});
	/** What the service took after it had refused another form. */
	let accepted: Form | undefined;
	let stopping: Problem | undefined;
	for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
		const { planned, refusals } = next;
		const { parameters, values } = planned.request;
		const own = bringsOwnValue(parameters);
		const [form, another, ...others] = accepted === undefined ? next.forms : ([accepted] as const);
		if (form === 'single' && values.length > 1 && !own) {
			queue.unshift(...splitIntoSingles(planned).map((single) => ({ ...next, planned: single })));
			continue;
		}
		const outcome = stopping ? failure(stopping) : await createOne(creating, planned, form);
		if (outcome.ok) {
			onCreated(outcome.value.job.job_id);
			records.push(outcome.value);
			spending.add(outcome.value);
			if (refusals.length > 0) accepted = form;
			continue;
		}
		const isOfForm = !own && accepted === undefined && refusesForm(outcome.problem);
		const refused = [...refusals, outcome.problem];
		if (isOfForm && another !== undefined) {
			queue.unshift({ planned, forms: [another, ...others], refusals: refused });
			continue;
		}
		const problem = isOfForm ? inEveryForm(refused) : asMissing(outcome.problem, parameters);
		failures.push({ planned, problem });
		// For jobs that were not attempted, nothing was created.
		const detail = problem.effect === 'unknown' ? undefined : problem.detail;
		if (traitsOf(problem).accountWide || !goesOn) stopping ??= { ...problem, detail, effect: 'none' };
	}
	const errors = failures.flatMap(({ planned, problem }): Aside[] => {
		const items = planned.requesters.map(({ item }) => item);
		const told = existingText(ledger, records, identify(planned));
		const error = apiError(context.getNode(), problem, items, told);
		if (!goesOn) throw error;
		return items.map((item) => ({ item, place: 0, error: errorItem(error, item).json }));
	});
	const found = records.filter(({ creation }) => creation?.recovered === true).map(({ job }) => job.job_id);
	const said = `The reply to ${counted(found.length, 'creation')} was lost; the job list had the job (${found.join(', ')}), so nothing was created twice.`;
	if (found.length > 0) hint(context, said);
	spending.sayExcess(context);
	return { records, asides: [...asides, ...errors] };
}
