import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { RecentMap, type RequestContext } from '../service/types';
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

/** Numbers of characters that were read in a guessed encoding, by run and request. */
const mendedIn = new WeakMap<object, Map<string, number>>();

/** Nodes with a warning in n8n's log. */
const logged = new RecentMap<string, true>(1_000);

/** Counts such characters for the hint of a run; a repeated request counts once. */
export function noteRepaired(context: RequestContext, request: string, characters: number): void {
	if ('addExecutionHints' in context) {
		const requests = mendedIn.get(context) ?? new Map<string, number>();
		mendedIn.set(context, requests.set(request, characters));
		return;
	}
	// Triggers have no hints and read the same data repeatedly, so n8n's log gets one warning.
	const { id, name } = context.getNode();
	const node = `${context.getWorkflow().id ?? ''} ${id}`;
	if (logged.has(node)) return;
	logged.set(node, true);
	context.logger.warn(`${name}: ${remark(characters)}`);
}

/** Adds a hint with the number of such characters in a run, if any. */
export function hintOnRepaired(context: IExecuteFunctions): void {
	const all = [...(mendedIn.get(context)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
	if (all > 0) hint(context, remark(all), 'warning');
}

function remark(characters: number): string {
	const held = `${counted(characters, 'character')} of the service's answers ${characters === 1 ? 'is' : 'are'} not UTF-8`;
	return `${held}, and no other encoding is named. They were read as Windows-1252, or are shown as \uFFFD: check the texts, or ask the service to name its charset.`;
}
