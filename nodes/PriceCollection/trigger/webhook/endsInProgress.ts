import type { IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../../service/time';
import { RecentMap } from '../../service/types';
import { ANSWERS, type Answer } from './answers';

/** Older ends are in n8n's store, or were lost and may be repeated. */
const IN_PROGRESS_MS = 15 * 60_000;
const MOST_ENDS = 20_000;
/** How long a second caller waits for the outcome of the same end. */
const LONGEST_WAIT_MS = 10_000;

/** An end, from the call that names it until n8n's store certainly has it. */
export interface EndInProgress {
	since: number;
	/** The answer for other callers of the same end. */
	outcome: Promise<Answer>;
	/** Sets the outcome; later calls are ignored. An end that was not output may be repeated at once. */
	settle(outcome: Answer): void;
}

function nameOf(trigger: string, jobId: string): string {
	return `${trigger}\n${jobId}`;
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
		const end = this.ends.get(nameOf(trigger, jobId));
		return end !== undefined && this.clock.now() - end.since < IN_PROGRESS_MS ? end : undefined;
	}

	begin(trigger: string, jobId: string): EndInProgress {
		const name = nameOf(trigger, jobId);
		let tell: ((outcome: Answer) => void) | undefined;
		const outcome = new Promise<Answer>((resolve) => (tell = resolve));
		const end: EndInProgress = {
			since: this.clock.now(),
			outcome,
			settle: (answer) => {
				if (tell === undefined) return;
				if (answer !== ANSWERS.duplicate && this.ends.get(name) === end) this.ends.delete(name);
				tell(answer);
				tell = undefined;
			},
		};
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
		response.end = ((...given: Parameters<typeof sendAnswer>) => {
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
