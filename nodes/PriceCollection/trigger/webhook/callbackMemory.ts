import type { IDataObject } from 'n8n-workflow';

import { handledJobsFormat } from '../../run/stored/callbackMemory';
import type { Clock } from '../../service/clock';
import type { Job } from '../../service/types';
import { ANSWERS, type Answer } from './answers';

/** What a look at a call gave: what the caller is told, and the job whose end starts the workflow, if it does. */
export interface Verdict {
	answer: Answer;
	job?: Job;
}

/** A verdict whose end, if there is one, is being stored until it is settled. */
export interface Claim extends Verdict {
	/** Says whether n8n has stored the end. The first word counts. */
	settle(stored: boolean): void;
}

/** Jobs kept with the workflow, for duplicates that come after a restart. */
const KEPT_IN_WORKFLOW = 1_000;
/** Jobs remembered in the process. */
const KEPT_IN_PROCESS = 10_000;
/** Maximum calls dealt with at once, and as many that wait for one of them; forged ones must not fill the memory. */
const MOST_AT_ONCE = 500;
/** A duplicate waits so long for the call before it, in milliseconds. */
const PATIENCE_MS = 10_000;
/** An end of which n8n has said nothing for so long, in milliseconds, may come again. */
const LONGEST_MS = 15 * 60_000;

/** The ends of one trigger that n8n has stored, the latest last. */
class StoredEnds {
	private readonly ids = new Set<string>();

	private lastRead = '';

	/** Takes in what another process, or an earlier one, has stored with the workflow. Duplicates of the unreadable pass. */
	learn(stored: unknown): void {
		const read = handledJobsFormat.read(stored);
		if (read.kind !== 'read' || read.value.jobIds === this.lastRead) return;
		this.lastRead = read.value.jobIds;
		for (const id of this.lastRead.split('\n')) if (id !== '') this.add(id);
	}

	has(id: string): boolean {
		return this.ids.has(id);
	}

	add(id: string): void {
		this.ids.add(id);
		if (this.ids.size <= KEPT_IN_PROCESS) return;
		const [oldest] = this.ids;
		if (oldest !== undefined) this.ids.delete(oldest);
	}

	/** As it is stored with the workflow. */
	stored(): IDataObject {
		return handledJobsFormat.write({ jobIds: [...this.ids].slice(-KEPT_IN_WORKFLOW).join('\n') });
	}
}

/** A call that is being confirmed or stored, for its duplicates. */
interface UnderWay {
	since: number;
	/** What a duplicate is told once the outcome is known. */
	outcome: Promise<Answer>;
}

/**
 * What one n8n process knows about the ends that its webhook triggers were told of. An end is first being confirmed,
 * then being stored, and handled only when n8n has stored its execution: until then every failure leaves it as if
 * nobody had called. Only stored ones are kept with the workflow, because whatever is kept there outlives a crash.
 */
export class CallbackMemory {
	private readonly triggers = new Map<string, StoredEnds>();

	private readonly underWay = new Map<string, UnderWay>();

	private waiting = 0;

	constructor(private readonly clock: Pick<Clock, 'now' | 'pause'>) {}

	/**
	 * Looks into a call, unless its job was handled or another call for it is under way: then that one's outcome
	 * counts, or the caller is told to come again.
	 *
	 * @param trigger unique for the node in its workflow
	 * @param stored what the workflow keeps of the trigger's memory, see {@link kept}
	 */
	async once(
		trigger: string,
		jobId: string,
		stored: unknown,
		look: () => Promise<Verdict>,
	): Promise<Claim> {
		const ends = this.endsOf(trigger);
		ends.learn(stored);
		if (ends.has(jobId)) return settled(ANSWERS.duplicate);
		const key = `${trigger}\n${jobId}`;
		const first = this.underWay.get(key);
		if (first !== undefined && this.clock.now() - first.since < LONGEST_MS) {
			return settled(await this.outcomeOf(first));
		}
		if (this.underWay.size >= MOST_AT_ONCE) return settled(ANSWERS.busy);
		return await this.claim(key, look, () => ends.add(jobId));
	}

	/** What is to be kept with the workflow. */
	kept(trigger: string): IDataObject {
		return this.endsOf(trigger).stored();
	}

	private async claim(key: string, look: () => Promise<Verdict>, remember: () => void): Promise<Claim> {
		let tell: (answer: Answer) => void = () => undefined;
		const entry: UnderWay = {
			since: this.clock.now(),
			outcome: new Promise((resolve) => (tell = resolve)),
		};
		this.underWay.set(key, entry);
		let isOpen = true;
		const close = (answer: Answer) => {
			isOpen = false;
			if (this.underWay.get(key) === entry) this.underWay.delete(key);
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
			if (stored) remember();
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

	private endsOf(trigger: string): StoredEnds {
		const known = this.triggers.get(trigger) ?? new StoredEnds();
		this.triggers.set(trigger, known);
		return known;
	}
}

/** A claim on which nothing depends. */
export function settled(answer: Answer): Claim {
	return { answer, settle: () => undefined };
}
