import type {
	IDataObject,
	INodeExecutionData,
	IRunExecutionData,
	ISourceData,
	IWebhookFunctions,
} from 'n8n-workflow';

/*
 * Members of n8n that are not public. Each is looked for before it is used, and says what happens in an n8n without
 * it; `docs/decisions.md` says why each is needed.
 */

/**
 * Lets `execute()` of a suspended node run again, with this item as its input.
 *
 * @param source the node whose items were its input before the suspension, for n8n's item linking
 * @returns the input to hand over; undefined in an n8n where the node cannot run again
 */
export function runAgain(
	context: IWebhookFunctions,
	item: IDataObject,
	source: ISourceData | undefined,
): INodeExecutionData[][] | undefined {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const entry = runExecutionData?.executionData?.nodeExecutionStack[0];
	if (entry === undefined) return undefined;
	entry.node.disabled = false;
	if (source !== undefined) entry.source = { main: [source] };
	return [[{ json: item }]];
}

/**
 * Makes n8n save the static data after a webhook's answer. It would do so for a change, but from the second execution
 * on the execution that it starts shares the object and resets the mark of the change first. So the workflow of this
 * call gets a copy of its own, marked as n8n marks it. In an n8n without the member duplicates are told apart until
 * the process ends.
 */
export function saveStaticData(context: IWebhookFunctions): void {
	const { workflow } = context as unknown as { workflow?: { staticData?: IDataObject } };
	if (workflow?.staticData === undefined) return;
	const copy = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
	Object.defineProperty(copy, '__dataChanged', { value: true, writable: true });
	workflow.staticData = copy;
}
