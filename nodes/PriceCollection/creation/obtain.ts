import { InFlight } from '../service/http/inFlight';
import { denialIn, isProven, mayHaveResults, PROOF_INTERVAL_MS } from '../service/meaning/jobState';
import type { Problem } from '../service/problems';
import { ENDPOINTS, type Job } from '../service/types';
import { giveUp, purchasedValuesOf, recordJob, type Creating } from './creating';
import type { Purchase } from '../run/formats';
import { encodingsFor, refusedInEveryEncoding, refusesEncoding, type Encoding } from './encodings';
import { nextAction } from './nextAction';
import { itemLookupsOf, planJobs, separate, splitIntoSingles, type PlannedJob } from './plan';
import { recover } from './recover';
import { hasInlineValue } from './request';
import { sendCreation } from './sendCreation';

/** A planned job that needs further steps. */
interface Pending {
	planned: PlannedJob;
	/** The encodings left to try, in order. */
	encodings: readonly Encoding[];
	/** The service's refusals of the encodings tried so far. */
	refused: readonly Problem[];
	/** The request whose reply was just lost, and why. */
	lost?: { purchase: Purchase; problem: Problem };
}

/** Another execution is creating the job, and this one must answer now. */
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
 * Fetches the job of an earlier execution. Returns undefined if it is gone, failed or cancelled, so that its values
 * are bought again. One odd reply is not enough: unless the service confirms it {@link PROOF_INTERVAL_MS} later, the job counts.
 */
async function lastingJob({ client, stop }: Creating, jobId: string): Promise<Job | undefined> {
	const { clock, endOf, getJob } = client;
	const check = async () => {
		const reply = await getJob(jobId);
		const job: Job = reply.ok ? reply.value : { job_id: jobId, status: '' };
		const isLost = reply.ok
			? !mayHaveResults({ end: endOf(job.status) })
			: denialIn(reply.problem) === 'gone';
		return { job, isLost };
	};
	const first = await check();
	if (!first.isLost) return first.job;
	const deniedSince = clock.now();
	await clock.pause(PROOF_INTERVAL_MS, stop);
	const askedAt = clock.now();
	const second = await check();
	return second.isLost && isProven(deniedSince, askedAt) ? undefined : second.job;
}

/**
 * Creates a job in the first encoding left. If the service refuses that encoding, the next one follows; `single`
 * splits several values into one job each. Returns what is left to do.
 */
async function createInEncoding(
	creating: Creating,
	{ planned, encodings, refused }: Pending,
): Promise<Pending[]> {
	const { parameters, values } = planned.request;
	const isInline = hasInlineValue(parameters);
	const [encoding, ...others] = creating.accepted === undefined ? encodings : [creating.accepted];
	if (encoding === undefined) {
		giveUp(creating, planned, refusedInEveryEncoding(refused));
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
		creating.room.noteAccepted();
		if (refused.length > 0) creating.accepted = encoding;
		return [];
	}
	const { problem } = sent;
	creating.room.noteRefused(problem);
	if (creating.room.mayTryAgain(problem)) return [{ planned, encodings, refused }];
	if (!isInline && creating.accepted === undefined && refusesEncoding(problem))
		return [{ planned, encodings: others, refused: [...refused, problem] }];
	giveUp(creating, planned, problem);
	return [];
}

/** Takes the next step for a planned job. Returns what is left to do for its values. */
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
		giveUp(creating, planned, creating.stopping);
		return [];
	}
	const asNew = { ...pending, planned: { ...planned, purchase: undefined, isAbsent: true } };
	const { purchase } = planned;
	// Another execution may have dropped the purchase since.
	if (purchase !== undefined && !ledger.has(purchase)) return [asNew];
	const action = nextAction(ledger, planned, clock.now());
	switch (action.do) {
		case 'use':
			if (purchase) recordJob(creating, planned, purchase, { job_id: action.jobId, status: '' });
			return [];
		case 'verify': {
			const job = await lastingJob(creating, action.jobId);
			if (job !== undefined && purchase) recordJob(creating, planned, purchase, job);
			else if (purchase) ledger.drop(purchase);
			return job === undefined ? [asNew] : [];
		}
		case 'wait':
			await clock.pause(action.until - clock.now(), stop);
			if (stop?.aborted !== true && !client.isOutOfTime()) return [pending];
			giveUp(creating, planned, UNDER_WAY);
			return [];
		case 'search': {
			const { from, to } = action;
			const what = ledger.whatOf(planned.request.parameters, connection.webhookUrlParameter);
			const unrecorded = { sentAt: from ?? 0, lostAt: to, executionId: '' };
			const purchaseToFind =
				purchase ?? ledger.enter(what, purchasedValuesOf(planned), unrecorded, planned.request);
			return (await recover(creating, planned, purchaseToFind, { from, to })) === 'absent'
				? [asNew]
				: [];
		}
		case 'create': {
			// Another execution may have requested the same values since the plan was made.
			const separated = separate(itemLookupsOf(planned), ledger, connection.webhookUrlParameter);
			if (separated.known.length === 0) return await createInEncoding(creating, pending);
			const newJobs = planJobs(separated.rest, 'combine', Infinity);
			return [...separated.known, ...newJobs].map((job) => ({
				...pendingOf(creating, job),
				...afterRefusals(pending),
			}));
		}
	}
}

/** The encodings left and the refusals so far, to carry over to new jobs; empty without refusals. */
const afterRefusals = ({ encodings, refused }: Pending) => (refused.length > 0 ? { encodings, refused } : {});

/** Whether the next step for a job must wait until no other step is under way. */
function mustRunAlone({ client, ledger, spending }: Creating, { lost, planned }: Pending): boolean {
	// The job list is searched for it, and the job of a concurrent creation could be mistaken for it.
	if (lost !== undefined) return true;
	const action = nextAction(ledger, planned, client.clock.now());
	return action.do === 'search' || (action.do === 'create' && spending.awaitsOthers(planned));
}

/** Reuses the jobs of earlier requests and creates the others, several at a time as far as {@link Room} allows. */
export async function obtain(creating: Creating, plan: readonly PlannedJob[]): Promise<void> {
	const { client, room, stop } = creating;
	const remaining = plan.map((planned) => pendingOf(creating, planned)).reverse();
	const inFlight = new InFlight<Pending[]>();
	while (remaining.length > 0 || inFlight.size > 0) {
		const next = remaining.at(-1);
		const isEnding = creating.stopping !== undefined || stop?.aborted === true || client.isOutOfTime();
		const isAlone = next !== undefined && (isEnding || mustRunAlone(creating, next));
		if (next !== undefined && inFlight.size < (isAlone ? 1 : room.width())) {
			remaining.pop();
			inFlight.add(step(creating, next));
			if (!isAlone) continue;
		}
		if (inFlight.size > 0)
			for (const followUp of (await inFlight.next()).reverse()) remaining.push(followUp);
		else await client.clock.pause(room.closedFor(), stop);
	}
}
