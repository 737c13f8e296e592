import type { IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../../service/clock';
import { RecentMap } from '../../service/recentMap';
import { ANSWERS, type Answer } from './answers';

/** An end that came longer ago is in n8n's store, or was lost and may come again. */
const IN_PROGRESS_MS = 15 * 60_000;
const MOST_ENDS = 20_000;
/** A second caller for the same end waits no longer for the first one's outcome. */
const LONGEST_WAIT_MS = 10_000;

/** One end from the call that names it until n8n's store certainly has it. */
export interface EndInProgress {
	since: number;
	/** What another caller for the same end is told. */
	outcome: Promise<Answer>;
	/** Says how it went; only the first word counts. An end that was not handed over may come again at once. */
	settle(outcome: Answer): void;
}

function nameOf(trigger: string, jobId: string): string {
	return `${trigger}\n${jobId}`;
}

/**
 * The ends that are on their way through this process. n8n's store of processed items says what has started the workflow,
 * but only its executions can ask it: until theirs has, this map keeps a second call from starting another one.
 */
export class EndsInProgress {
	/** Whether executions of the trigger run in this process; in queue mode they run in others. */
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

	/** The outcome of an end, or that it is not known within ten seconds. */
	async outcomeOf({ outcome }: EndInProgress): Promise<Answer> {
		const waiting = new AbortController();
		const late = this.clock.pause(LONGEST_WAIT_MS, waiting.signal);
		const answer = await Promise.race([outcome, late]).finally(() => waiting.abort());
		return answer ?? ANSWERS.inProgress;
	}

	/**
	 * Holds n8n's answer until the execution has told n8n's store of its job, because an n8n that is being stopped
	 * answers calls for a moment whose executions it cuts off. Watches the answer, not the connection: n8n goes on when
	 * the caller hangs up, and a repeat is told what became of it.
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
