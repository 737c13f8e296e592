import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { oneLine } from '../service/text';

/** Shows a remark under the output. n8n versions without hints go without. */
export function hint(
	context: IExecuteFunctions,
	message: string,
	type: NodeExecutionHint['type'] = 'info',
): void {
	context.addExecutionHints?.({ message: oneLine(message), type, location: 'outputPane' });
}

/** "1 job", "2 jobs". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
