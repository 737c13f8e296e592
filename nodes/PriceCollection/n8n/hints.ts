import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { oneLine } from '../service/text';

/** Shows a hint below the output; n8n versions without hints show none. */
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
