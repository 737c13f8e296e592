import type { IExecuteFunctions, IRunExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { oneLine } from '../service/text';
import { loopAround } from './wiring';

/** Shows a hint below the output. Does nothing in n8n versions without hints. */
export function hint(
	context: IExecuteFunctions,
	message: string,
	type: NodeExecutionHint['type'] = 'info',
): void {
	context.addExecutionHints?.({ message: oneLine(message), type, location: 'outputPane' });
}

/**
 * Hints, in this node's second run inside a loop, that it needs no loop because it takes all items at once. Shows the hint
 * once per execution. n8n drops a suspended run's hints when it wakes; then a later run shows it again.
 */
export function hintNoLoopNeeded(context: IExecuteFunctions): void {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const runs = runExecutionData?.resultData.runData[context.getNode().name] ?? [];
	const loop = runs.length > 0 ? loopAround(context) : undefined;
	if (loop === undefined) return;
	const text = `This node runs once for each batch of "${loop}". It needs no loop: it takes all items at once, and puts their values into as few jobs as possible. Without the loop, the jobs also run in parallel.`;
	if (!runs.some(({ hints }) => hints?.some(({ message }) => message === text))) hint(context, text);
}
