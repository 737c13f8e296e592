import type { Clock } from '../../service/clock';
import { RecentMap } from '../../service/recentMap';
import type { Job } from '../../service/types';
import { ANSWERS, type Answer, type Handed } from './answers';

/** What a look at a call gave: what the caller is told, and the job whose end starts the workflow, if it does. */
export interface Verdict {
	answer: Answer;
	job?: Job;
}

/** A verdict whose end, if there is one, is being stored until it is settled. */
export interface Claim extends Verdict, Handed {}

/** Ends remembered, of all triggers. */
const MOST_STORED = 20_000;
/** Maximum calls dealt with at once, and as many that wait for one of them; forged ones must not fill the memory. */
const MOST_AT_ONCE = 500;
/** A duplicate waits so long for the call before it, in milliseconds. */
const PATIENCE_MS = 10_000;
/** An end of which n8n has said nothing for so long, in milliseconds, may come again. */
const LONGEST_MS = 15 * 60_000;

/** A call that is being confirmed or stored, for its duplicates. */
interface UnderWay {
	since: number;
	/** What a duplicate is told once the outcome is known. */
	outcome: Promise<Answer>;
}

/**
 * What one n8n process knows about the ends that its webhook triggers were told of. An end is first being confirmed,
 * then being stored, and handled only when n8n has stored its execution: until then every failure leaves it as if
 * nobody had called.
 */
export class CallbackMemory {
	private readonly stored = new RecentMap<string, true>(MOST_STORED);

	private readonly underWay = new Map<string, UnderWay>();

	private waiting = 0;

	constructor(private readonly clock: Pick<Clock, 'now' | 'pause'>) {}

	/**
	 * Looks into a call, unless its job was handled or another call for it is under way: then that one's outcome
	 * counts, or the caller is told to come again.
	 *
	 * @param end unique for the job and the trigger
	 */
	async once(end: string, look: () => Promise<Verdict>): Promise<Claim> {
		if (this.stored.has(end)) return settled(ANSWERS.duplicate);
		const first = this.underWay.get(end);
		if (first !== undefined && this.clock.now() - first.since < LONGEST_MS) {
			return settled(await this.outcomeOf(first));
		}
		if (this.underWay.size >= MOST_AT_ONCE) return settled(ANSWERS.busy);
		return await this.claim(end, look);
	}

	private async claim(end: string, look: () => Promise<Verdict>): Promise<Claim> {
		let tell: (answer: Answer) => void = () => undefined;
		const entry: UnderWay = {
			since: this.clock.now(),
			outcome: new Promise((resolve) => (tell = resolve)),
		};
		this.underWay.set(end, entry);
		let isOpen = true;
		const close = (answer: Answer) => {
			isOpen = false;
			if (this.underWay.get(end) === entry) this.underWay.delete(end);
			tell(answer);
		};
		let verdict: Verdict | undefined;
		try {
			verdict = await look();
		} finally {
			if (verdict?.job === undefined) close(verdict?.answer ?? ANSWERS.unconfirmed);
		}
		const settle = (stored: boolean) => {
			if (!isOpen) return;
			if (stored) this.stored.set(end, true);
			close(stored ? ANSWERS.duplicate : ANSWERS.unstored);
		};
		return { ...verdict, settle };
	}

	private async outcomeOf({ outcome }: UnderWay): Promise<Answer> {
		if (this.waiting >= MOST_AT_ONCE) return ANSWERS.busy;
		this.waiting++;
		const done = new AbortController();
		try {
			const answer = await Promise.race([outcome, this.clock.pause(PATIENCE_MS, done.signal)]);
			return answer ?? ANSWERS.underWay;
		} finally {
			this.waiting--;
			done.abort();
		}
	}
}

/** A claim on which nothing depends. */
export function settled(answer: Answer): Claim {
	return { answer, settle: () => undefined };
}
