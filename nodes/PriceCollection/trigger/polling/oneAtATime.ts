import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

type PollResult = INodeExecutionData[][] | null;

/**
 * Keeps the polls of one trigger apart. n8n begins a poll although the one before is still downloading; both would
 * hand over the same ends. The later one gives way: what it would have found is found by the next.
 */
export function oneAtATime(poll: (context: IPollFunctions) => Promise<PollResult>) {
	const running = new Set<string>();
	return async function (this: IPollFunctions): Promise<PollResult> {
		// A click on the test button changes nothing and need not wait.
		if (this.getMode() === 'manual') return await poll(this);
		const trigger = `${this.getWorkflow().id ?? ''}\n${this.getNode().id}`;
		if (running.has(trigger)) return null;
		running.add(trigger);
		try {
			return await poll(this);
		} finally {
			running.delete(trigger);
		}
	};
}
