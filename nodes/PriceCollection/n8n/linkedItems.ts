import type { IExecuteFunctions, INodeExecutionData, ISourceData } from 'n8n-workflow';

/** The items that a node has given out in this execution; undefined where it does not hold them any more. */
export function linkedItems(
	context: IExecuteFunctions,
	{ previousNode, previousNodeOutput, previousNodeRun }: ISourceData,
): INodeExecutionData[] | undefined {
	try {
		const { $items } = context.getWorkflowDataProxy(0);
		return $items(previousNode, previousNodeOutput ?? 0, previousNodeRun ?? 0) as INodeExecutionData[];
	} catch {
		// n8n throws for a node that is gone, or has not run.
		return undefined;
	}
}
