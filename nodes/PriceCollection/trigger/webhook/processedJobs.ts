import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { Parameters, RUN } from '../../n8n/parameters';
import type { Clock } from '../../service/time';
import { RecentMap } from '../../n8n/memory';
import { triggerOf } from '../items';
import { type Answer, ANSWERS } from './answers';

/** Older ends are in n8n's store, or were lost and may be repeated. */
const IN_PROGRESS_MS = 15 * 60_000;
const MOST_ENDS = 20_000;
/** How long a second caller waits for the outcome of the same end. */
const LONGEST_WAIT_MS = 10_000;
/** Jobs that n8n remembers per trigger, 27 bytes each. Each write writes all of them. */
const MOST_REMEMBERED = 2_000;

/** An end, from the call that names it until n8n's store certainly has it. */
export interface EndInProgress {
	since: number;
	/** The answer for other callers of the same end. */
	outcome: Promise<Answer>;
	/** Sets the outcome. An end that was not output may be repeated at once. */
	settle(outcome: Answer): void;
}

/**
 * The ends that this process is handling. n8n's store of processed items knows what has started the workflow,
 * but only executions can ask it: until they have, this map keeps a second call from starting another one.
 */
export class EndsInProgress {
	/** Whether the trigger's executions run in this process; in queue mode they do not. */
	executionsRunHere = false;

	private readonly ends = new RecentMap<string, EndInProgress>(MOST_ENDS);

	constructor(private readonly clock: Pick<Clock, 'now' | 'pause'>) {}

	find(trigger: string, jobId: string): EndInProgress | undefined {
		const end = this.ends.get(`${trigger}\n${jobId}`);
		return end !== undefined && this.clock.now() - end.since < IN_PROGRESS_MS ? end : undefined;
	}

	begin(trigger: string, jobId: string): EndInProgress {
		const name = `${trigger}\n${jobId}`;
		let tell: ((outcome: Answer) => void) | undefined;
		const outcome = new Promise<Answer>((resolve) => (tell = resolve));
		const settle = (answer: Answer) => {
			if (answer !== ANSWERS.duplicate && this.ends.get(name) === end) this.ends.delete(name);
			tell?.(answer);
		};
		const end = { since: this.clock.now(), outcome, settle };
		this.ends.set(name, end);
		return end;
	}

	/** The outcome of an end, or `inProgress` after ten seconds. */
	async outcomeOf({ outcome }: EndInProgress): Promise<Answer> {
		const waiting = new AbortController();
		const late = this.clock.pause(LONGEST_WAIT_MS, waiting.signal);
		const answer = await Promise.race([outcome, late]).finally(() => waiting.abort());
		return answer ?? ANSWERS.inProgress;
	}

	/**
	 * Delays n8n's answer until the execution has recorded its job in n8n's store, because a stopping n8n
	 * still answers calls whose executions it aborts. Waits for the answer, not the connection: n8n continues
	 * after the caller hangs up, and a repeated call gets the outcome.
	 */
	holdAnswer(response: ReturnType<IWebhookFunctions['getResponseObject']>, end: EndInProgress): void {
		const { end: sendAnswer } = response;
		response.end = ((...given: unknown[]) => {
			const answer = (outcome: Answer) => {
				end.settle(outcome);
				return Reflect.apply(sendAnswer, response, given) as unknown;
			};
			if (response.statusCode >= 400) return answer(ANSWERS.notStored);
			if (!this.executionsRunHere) return answer(ANSWERS.duplicate);
			void this.outcomeOf(end).then(() => answer(ANSWERS.duplicate));
			return response;
		}) as typeof sendAnswer;
	}
}

/**
 * Returns a function that records a job and tells whether it was new. n8n's store reads, adds and writes
 * without a lock, so each process makes one call at a time per trigger and collects further jobs for the next
 * call. `record` returns the jobs that were not in the store.
 */
export function recordingInTurns() {
	const collecting = new Map<string, Set<string>>();
	const calls = new Map<string, Promise<ReadonlySet<string>>>();
	return async (trigger: string, jobId: string, record: (jobIds: string[]) => Promise<string[]>) => {
		const jobIds = collecting.get(trigger) ?? new Set();
		if (!collecting.has(trigger)) {
			collecting.set(trigger, jobIds);
			const send = async () => {
				collecting.delete(trigger);
				return new Set(await record([...jobIds]));
			};
			calls.set(trigger, Promise.resolve(calls.get(trigger)).then(send, send));
		}
		if (jobIds.has(jobId)) return false;
		jobIds.add(jobId);
		return (await calls.get(trigger))?.has(jobId) === true;
	};
}

/**
 * The first step of an execution that a call started: passes its items on, or none if the job has started the
 * workflow before, which n8n's store of processed items knows, the one of its Remove Duplicates node. Without
 * the store the items pass: a repeated end is better than a lost one.
 */
export function startOnce(ends: EndsInProgress) {
	const isFirst = recordingInTurns();
	return async function (this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		const jobId = items[0]?.json.job_id;
		// Test runs and manual retries always run.
		const isCall = this.getMode() === 'webhook' && typeof jobId === 'string';
		if (!isCall || !new Parameters(this).flag('options.ignoreDuplicates', RUN, true)) return [items];
		ends.executionsRunHere = true;
		const options = { mode: 'entries', maxEntries: MOST_REMEMBERED } as const;
		const record = async (jobIds: string[]) => {
			const outcome = await this.helpers.checkProcessedAndRecord(jobIds, 'node', options);
			return outcome.new.map(String);
		};
		try {
			const trigger = triggerOf(this);
			const isNew = await isFirst(trigger, jobId, record);
			ends.find(trigger, jobId)?.settle(ANSWERS.duplicate);
			return [isNew ? items : []];
		} catch (error) {
			// The caller has no answer yet: a closed store means that n8n is stopping.
			this.logger.warn(
				`${this.getNode().name}: n8n could not tell whether job ${jobId} started the workflow before, so it starts it: ${String(error)}`,
			);
			return [items];
		}
	};
}
