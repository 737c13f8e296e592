import type { IDataObject, IPollFunctions } from 'n8n-workflow';

/** Where a polling trigger keeps what it must remember between its polls. */
export interface TriggerMemory {
	/** What was written last; undefined before. */
	read(): unknown;
	/** Replaces it. Without a change nothing is written, because n8n would save the whole workflow. */
	write(value: IDataObject): void;
}

/** Whether n8n saves the static data of a node apart from its executions; with durable cursors it saves both at once. */
export function isSavedApart(context: IPollFunctions): boolean {
	// Only static data that is saved apart has this mark.
	return '__dataChanged' in context.getWorkflowStaticData('node');
}

/** The IDs of all nodes of the workflow; undefined if n8n does not show them. */
function nodeIds(context: IPollFunctions): Set<string> | undefined {
	const { workflow } = context as unknown as { workflow?: { nodes?: Record<string, { id: string }> } };
	return workflow?.nodes && new Set(Object.values(workflow.nodes).map(({ id }) => id));
}

/**
 * The memory of a polling trigger, which survives a renaming of its node. n8n keeps the static data of a node under the
 * node's name, so the workflow's is used, under the IDs of workflow and node: a copy of the workflow has its own. With
 * durable cursors n8n itself keeps the data of a node by its ID, and saves it together with the execution.
 */
export function triggerMemory(context: IPollFunctions): TriggerMemory {
	const { type, id } = context.getNode();
	const workflow = `${type} ${context.getWorkflow().id ?? ''} `;
	const key = workflow + id;
	const [ofNode, ofWorkflow] = [
		context.getWorkflowStaticData('node'),
		context.getWorkflowStaticData('global'),
	];
	const data = isSavedApart(context) ? ofWorkflow : ofNode;
	return {
		// After durable cursors were switched on, the workflow's data has what was written before.
		read: () => data[key] ?? ofWorkflow[key],
		write: (value) => {
			if (JSON.stringify(data[key]) === JSON.stringify(value)) return;
			data[key] = value;
			const ids = nodeIds(context);
			if (ids === undefined) return;
			// Triggers that were deleted, and those of the workflow that this one is a copy of.
			for (const other of Object.keys(data)) {
				const isKept = other.startsWith(workflow) && ids.has(other.slice(workflow.length));
				if (other.startsWith(`${type} `) && !isKept) delete data[other];
			}
		},
	};
}
