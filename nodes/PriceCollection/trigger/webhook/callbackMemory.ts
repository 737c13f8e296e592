import type { IDataObject } from 'n8n-workflow';

import { handledJobsFormat } from '../../run/stored/callbackMemory';
import type { Job } from '../../service/types';
import { ANSWERS, type Answer } from './answers';

/** What became of a call: what the caller is told, and the job whose end starts the workflow, if it does. */
export interface Verdict {
	answer: Answer;
	job?: Job;
}

/** Jobs kept with the workflow, for duplicates that come after a restart. */
const KEPT_IN_WORKFLOW = 1_000;
/** Jobs remembered in the process. */
const KEPT_IN_PROCESS = 10_000;
/** Maximum calls looked into at once; forged ones must not fill the memory. */
const MOST_AT_ONCE = 500;

/** The jobs of one trigger, the latest last. */
class HandledJobs {
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

	remove(id: string): void {
		this.ids.delete(id);
	}

	/** What is stored with the workflow. */
	stored(): IDataObject {
		return handledJobsFormat.write({ jobIds: [...this.ids].slice(-KEPT_IN_WORKFLOW).join('\n') });
	}
}

/**
 * What one n8n process knows about the callbacks of its triggers. The static data of the workflow alone lets
 * simultaneous duplicates through, and loses entries when calls overlap: each call works on a copy read at its
 * start, and the last one to save wins. So the process remembers, and writes all it knows each time.
 */
export class CallbackMemory {
	private readonly triggers = new Map<string, HandledJobs>();

	private readonly running = new Map<string, Promise<Verdict>>();

	/**
	 * Looks into a call unless the same job was handled before or is being looked into: then that call's outcome
	 * counts for this one too, so that a duplicate is not told "done" while the first may not even be confirmed.
	 *
	 * @param trigger unique for the node in its workflow
	 * @param staticData of the node, read and written
	 */
	async once(
		trigger: string,
		jobId: string,
		staticData: IDataObject,
		look: () => Promise<Verdict>,
	): Promise<Verdict> {
		const handled = this.handledBy(trigger);
		handled.learn(staticData.handled);
		if (handled.has(jobId)) return { answer: ANSWERS.duplicate };
		const key = `${trigger}\n${jobId}`;
		const first = this.running.get(key);
		if (first !== undefined) return duplicateOf(await first);
		if (this.running.size >= MOST_AT_ONCE) return { answer: ANSWERS.busy };
		const looking = look();
		this.running.set(key, looking);
		try {
			const verdict = await looking;
			if (verdict.job !== undefined) {
				handled.add(jobId);
				staticData.handled = handled.stored();
			}
			return verdict;
		} finally {
			this.running.delete(key);
		}
	}

	/** A job whose execution n8n could not store may come again. */
	forget(trigger: string, jobId: string): void {
		this.handledBy(trigger).remove(jobId);
	}

	private handledBy(trigger: string): HandledJobs {
		const known = this.triggers.get(trigger) ?? new HandledJobs();
		this.triggers.set(trigger, known);
		return known;
	}
}

function duplicateOf(first: Verdict): Verdict {
	return { answer: first.job === undefined ? first.answer : ANSWERS.duplicate };
}
