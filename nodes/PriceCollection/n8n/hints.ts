import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { RequestContext } from '../service/types';
import { RecentMap } from './memory';
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

const REPAIRED =
	"Some characters of the service's answers are not UTF-8, and no other encoding is named. They were read as Windows-1252, or are shown as \uFFFD: check the texts, or ask the service to name its charset.";

/** Runs with this hint, and nodes with this warning in n8n's log. */
const hinted = new WeakSet<object>();
const logged = new RecentMap<string, true>(1_000);

/** Warns once about characters that were read in a guessed encoding. */
export function warnAboutEncoding(context: RequestContext): void {
	if ('addExecutionHints' in context) {
		if (!hinted.has(context)) hint(context, REPAIRED, 'warning');
		hinted.add(context);
		return;
	}
	// Triggers have no hints and read the same data repeatedly.
	const { id, name } = context.getNode();
	const node = `${context.getWorkflow().id ?? ''} ${id}`;
	if (!logged.has(node)) context.logger.warn(`${name}: ${REPAIRED}`);
	logged.set(node, true);
}
