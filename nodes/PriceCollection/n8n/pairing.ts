import type { IExecuteFunctions, ISourceData } from 'n8n-workflow';

/** The node whose items are this node's input; absent where n8n does not say, as in tools. */
export function sourceOf(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}
