import { InFlight } from '../service/http/inFlight';
import { denialIn, isProven, mayHaveResults, TWICE_MS } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { ENDPOINTS, type Job } from '../service/types';
import { purchasedValuesOf, exists, fail, type Creating } from './creating';
import type { Purchase } from '../run/formats';
import { encodingsFor, refusedInEveryEncoding, refusesEncoding, type Encoding } from './encodings';
import { nextAction } from './nextAction';
import { itemLookupsOf, planJobs, separate, splitIntoSingles, type PlannedJob } from './plan';
import { recover } from './recover';
import { hasInlineValue } from './request';
import { sendCreation } from './sendCreation';

/** A planned job that does not exist yet. */
interface Pending {
	planned: PlannedJob;
	/** The forms of the lookup values to try, in this order. */
	encodings: readonly Encoding[];
	/** What the service said to those that were tried before. */
	refused: readonly Problem[];
	/** The request for it whose reply was lost just now, and why. */
	lost?: { purchase: Purchase; problem: Problem };
}

/** Another execution creates the job, and this one must answer now. */
const UNDER_WAY: Problem = {
	kind: 'toolTimeUsedUp',
	endpoint: ENDPOINTS.create,
	effect: 'none',
	detail: 'Another execution is creating this job',
};
const OUT_OF_TIME: Problem = {
	kind: 'executionEnding',
	endpoint: ENDPOINTS.create,
	effect: 'none',
	detail: 'Nothing was sent for these values',
};

function pendingOf({ client }: Creating, planned: PlannedJob): Pending {
	const encodings = encodingsFor(client.connection.lookupValues, planned.request.values.length);
	return { planned, encodings, refused: [] };
}

/**
 * Asks for the job of an earlier execution, whose values are bought again if it is gone, failed or cancelled. One
 * odd reply does not decide that: the service must say so twice. Until then, the job counts.
 */
async function lastingJob({ client, stop }: Creating, jobId: string): Promise<Job | undefined> {
	const { clock, endOf, getJob } = client;
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
	await clock.pause(TWICE_MS, stop);
	const second = await ask();
	return second.isLost && isProven(deniedSince, clock.now()) ? undefined : second.job;
}

/**
 * Creates a job, in the first of the forms that are left. If the service refuses that form, the others follow, several
 * values at last as single jobs.
 */
async function createInEncoding(
	creating: Creating,
	{ planned, encodings, refused }: Pending,
): Promise<Pending[]> {
	const { parameters, values } = planned.request;
	const isInline = hasInlineValue(parameters);
	const [encoding, ...others] = creating.accepted === undefined ? encodings : [creating.accepted];
	if (encoding === undefined) {
		fail(creating, planned, refusedInEveryEncoding(refused));
		return [];
	}
	if (encoding === 'single' && values.length > 1 && !isInline)
		return splitIntoSingles(planned).map((single) => ({
			planned: single,
			encodings: ['single'],
			refused,
		}));
	const sent = await sendCreation(creating, planned, encoding);
	if (sent.kind === 'lost') return [{ planned, encodings, refused, lost: sent }];
	if (sent.kind === 'created') {
		creating.room.taken();
		if (refused.length > 0) creating.accepted = encoding;
		return [];
	}
	const { problem } = sent;
	if (creating.room.refused(problem)) return [{ planned, encodings, refused }];
	if (!isInline && creating.accepted === undefined && refusesEncoding(problem))
		return [{ planned, encodings: others, refused: [...refused, problem] }];
	fail(creating, planned, problem);
	return [];
}

/** Does what comes next about a planned job. Returns what is left to do for its values. */
async function step(creating: Creating, pending: Pending): Promise<Pending[]> {
	const { client, ledger, stop } = creating;
	const { clock, connection } = client;
	const { planned, lost } = pending;
	if (lost !== undefined) {
		const { sentAt: from, lostAt: to = from } = lost.purchase.creation;
		await recover(creating, planned, lost.purchase, { from, to }, lost.problem);
		return [];
	}
	if (clock.now() > (creating.settings.latest ?? Infinity)) creating.stopping ??= OUT_OF_TIME;
	if (creating.stopping !== undefined) {
		fail(creating, planned, creating.stopping);
		return [];
	}
	const renewed = { ...pending, planned: { ...planned, purchase: undefined, isAbsent: true } };
	const { purchase } = planned;
	// Another execution may have dropped it meanwhile, because nothing was created.
	if (purchase !== undefined && !ledger.has(purchase)) return [renewed];
	const action = nextAction(ledger, planned, clock.now());
	switch (action.do) {
		case 'use':
			if (purchase) exists(creating, planned, purchase, { job_id: action.jobId, status: '' });
			return [];
		case 'verify': {
			const job = await lastingJob(creating, action.jobId);
			if (job !== undefined && purchase) exists(creating, planned, purchase, job);
			else if (purchase) ledger.drop(purchase);
			return job === undefined ? [renewed] : [];
		}
		case 'wait':
			await clock.pause(action.until - clock.now(), stop);
			if (stop?.aborted !== true && !client.isOutOfTime()) return [pending];
			fail(creating, planned, UNDER_WAY);
			return [];
		case 'search': {
			const { from, to } = action;
			const what = ledger.whatOf(planned.request.parameters, connection.webhookUrlParameter);
			const unrecorded = { sentAt: from ?? 0, lostAt: to, executionId: '' };
			const sought =
				purchase ?? ledger.open(what, purchasedValuesOf(planned), unrecorded, planned.request);
			return (await recover(creating, planned, sought, { from, to })) === 'absent' ? [renewed] : [];
		}
		case 'create': {
			// Another execution may have asked the same since the plan was made.
			const asked = separate(itemLookupsOf(planned), ledger, connection.webhookUrlParameter);
			if (asked.known.length === 0) return await createInEncoding(creating, pending);
			const rest = planJobs(asked.rest, 'combine', Infinity);
			return [...asked.known, ...rest].map((job) => ({
				...pendingOf(creating, job),
				...refusedIn(pending),
			}));
		}
	}
}

/** The forms that are left after refusals. */
const refusedIn = ({ encodings, refused }: Pending) => (refused.length > 0 ? { encodings, refused } : {});

/** Whether nothing else may be under way when it comes next. */
function comesAlone({ client, ledger, spending }: Creating, { lost, planned }: Pending): boolean {
	// The job list is searched for it: the job of another creation could be taken for it.
	if (lost !== undefined) return true;
	const action = nextAction(ledger, planned, client.clock.now());
	return action.do === 'search' || (action.do === 'create' && spending.awaitsOthers(planned));
}

/** Takes up the jobs of earlier requests, or creates them, several at a time as far as there is {@link Room}. */
export async function obtain(creating: Creating, plan: readonly PlannedJob[]): Promise<void> {
	const { client, room, stop } = creating;
	const left = plan.map((planned) => pendingOf(creating, planned)).reverse();
	const inFlight = new InFlight<Pending[]>();
	while (left.length > 0 || inFlight.size > 0) {
		const next = left.at(-1);
		const isEnding = creating.stopping !== undefined || stop?.aborted === true || client.isOutOfTime();
		const isAlone = next !== undefined && (isEnding || comesAlone(creating, next));
		if (next !== undefined && inFlight.size < (isAlone ? 1 : room.width())) {
			left.pop();
			inFlight.add(step(creating, next));
			if (!isAlone) continue;
		}
		if (inFlight.size > 0) for (const more of (await inFlight.next()).reverse()) left.push(more);
		else await client.clock.pause(room.closedFor(), stop);
	}
}
