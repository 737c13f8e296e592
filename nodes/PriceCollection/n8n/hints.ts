import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { RecentMap } from '../service/recentMap';
import { oneLine } from '../service/text';
import type { RequestContext } from '../service/types';

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

/** Characters that were read in an encoding that is only the likeliest: how many, by run and by what was asked for. */
const mendedIn = new WeakMap<object, Map<string, number>>();

/** The nodes of which n8n's log was told. */
const logged = new RecentMap<string, true>(1_000);

/** Notes them for the hint of a run. What is asked for again counts once. */
export function noteMended(context: RequestContext, request: string, characters: number): void {
	if ('addExecutionHints' in context) {
		const requests = mendedIn.get(context) ?? new Map<string, number>();
		mendedIn.set(context, requests.set(request, characters));
		return;
	}
	// Triggers have no hints, and read the same again and again: n8n's log is told once.
	const { id, name } = context.getNode();
	const node = `${context.getWorkflow().id ?? ''} ${id}`;
	if (logged.has(node)) return;
	logged.set(node, true);
	context.logger.warn(`${name}: ${remark(characters)}`);
}

/** Says in a hint how many there were in a run, if any. */
export function hintOnMended(context: IExecuteFunctions): void {
	const all = [...(mendedIn.get(context)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
	if (all > 0) hint(context, remark(all), 'warning');
}

function remark(characters: number): string {
	const held = `${counted(characters, 'character')} of the service's answers ${characters === 1 ? 'is' : 'are'} not UTF-8`;
	return `${held}, and no other encoding is named. They were read as Windows-1252, or are shown as \uFFFD: check the texts, or ask the service to name its charset.`;
}
