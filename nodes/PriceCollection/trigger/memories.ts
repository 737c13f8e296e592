import type { IDataObject } from 'n8n-workflow';

/** Workflows remembered; the memory of a forgotten one is what n8n has stored. */
const MOST_WORKFLOWS = 1_000;

/**
 * What the triggers of each workflow remember, by the name of the node. n8n saves the static data of a workflow whole,
 * from copies of different age: so every trigger that has it saved puts in what the others remember by now.
 */
class TriggerMemories {
	private readonly workflows = new Map<string, Map<string, () => IDataObject>>();

	/** Notes what a trigger remembers; asked for whenever n8n saves. */
	note(workflowId: string, nodeName: string, memory: () => IDataObject): void {
		const nodes = this.workflows.get(workflowId) ?? new Map<string, () => IDataObject>();
		nodes.set(nodeName, memory);
		this.workflows.delete(workflowId);
		this.workflows.set(workflowId, nodes);
		const [oldest] = this.workflows.keys();
		if (this.workflows.size > MOST_WORKFLOWS && oldest !== undefined) this.workflows.delete(oldest);
	}

	/**
	 * The memories of a workflow's triggers as they are now.
	 *
	 * @param but the node that keeps its own
	 */
	of(workflowId: string, but?: string): Map<string, IDataObject> {
		const nodes = [...(this.workflows.get(workflowId) ?? [])].filter(([nodeName]) => nodeName !== but);
		return new Map(nodes.map(([nodeName, memory]) => [nodeName, memory()]));
	}
}

/** Those of this process. */
export const triggerMemories = new TriggerMemories();
