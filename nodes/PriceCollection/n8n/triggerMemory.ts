import type { IDataObject, IPollFunctions } from 'n8n-workflow';

/** A polling trigger's memory between polls. */
export interface TriggerMemory {
	/** Returns the value written last; undefined if none was. */
	read(): unknown;
	/** Replaces the value. Does not write an unchanged value, because n8n would save the whole workflow. */
	write(value: IDataObject): void;
}

/** Whether n8n saves static data separately from executions. With durable cursors it saves a node's data with them. */
export function isSavedApart(context: IPollFunctions): boolean {
	// Only static data that is saved separately has this property.
	return '__dataChanged' in context.getWorkflowStaticData('node');
}

/** Returns the IDs of all nodes in the workflow; undefined if n8n does not expose them. */
function nodeIds(context: IPollFunctions): Set<string> | undefined {
	const { workflow } = context as unknown as { workflow?: { nodes?: Record<string, { id: string }> } };
	return workflow?.nodes && new Set(Object.values(workflow.nodes).map(({ id }) => id));
}

/**
 * Returns a polling trigger's memory, which survives renaming the node. n8n stores a node's static data under the node's
 * name, so this uses the workflow's data instead, with the workflow ID and node ID as the key. A copy of the workflow
 * therefore has separate memory. With durable cursors n8n stores a node's data by its ID and saves it with the execution.
 */
export function triggerMemory(context: IPollFunctions): TriggerMemory {
	const { type, id } = context.getNode();
	const keyPrefix = `${type} ${context.getWorkflow().id ?? ''} `;
	const key = keyPrefix + id;
	const [nodeData, workflowData] = [
		context.getWorkflowStaticData('node'),
		context.getWorkflowStaticData('global'),
	];
	const data = isSavedApart(context) ? workflowData : nodeData;
	return {
		// After durable cursors are switched on, the earlier state is still in the workflow's data.
		read: () => data[key] ?? workflowData[key],
		write: (value) => {
			if (JSON.stringify(data[key]) === JSON.stringify(value)) return;
			data[key] = value;
			const ids = nodeIds(context);
			if (ids === undefined) return;
			// Deletes the data of deleted triggers, and of the workflow that this one was copied from.
			for (const storedKey of Object.keys(data)) {
				const isKept = storedKey.startsWith(keyPrefix) && ids.has(storedKey.slice(keyPrefix.length));
				if (storedKey.startsWith(`${type} `) && !isKept) delete data[storedKey];
			}
		},
	};
}
