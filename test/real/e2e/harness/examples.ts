import type { INodeParameters } from 'n8n-workflow';

import { readExample, SHEET, startOf, withCredentials } from '../../../support/examples.cjs';
import { sandbox } from './collecting';
import { createCredential, Outcome, n8n, unique } from './e2e';
import type { CredentialReference } from './e2e';
import { officeCredentials, onDay } from './office';

export { readExample, SHEET };

/** How long an example that waits for n8n's timers may take. */
const LONGEST_MS = 420_000;

type Example = ReturnType<typeof readExample>;

/** What a user changes after the import. */
export interface Choices {
	/** By the type of the credential. */
	credentials: Record<string, CredentialReference>;
	/** Parameters, by the name of the node. */
	edits?: Record<string, INodeParameters>;
}

/** Imports an example as the editor's menu does, and chooses the credentials. */
export async function importExample(
	name: string,
	{ credentials, edits = {} }: Choices,
): Promise<Example & { id: string }> {
	const example = readExample(name);
	const missing = Object.keys(edits).find((edited) => !example.nodes.some((node) => node.name === edited));
	if (missing !== undefined) throw new Error(`The example ${name} has no node ${missing}`);
	const nodes = withCredentials(example.nodes, credentials).map((node) => ({
		...node,
		parameters: { ...node.parameters, ...edits[node.name] },
	}));
	const { id } = await n8n().createWorkflow({ ...example, name: unique(name), nodes });
	return { ...example, nodes, id };
}

/**
 * Runs a workflow from one of its triggers.
 *
 * @param until the statuses to wait for; any end when absent
 */
export async function runFrom(workflowId: string, start: string, until?: string[]): Promise<Outcome> {
	const executionId = await n8n().startManually(workflowId, start);
	const execution = await n8n().waitForExecution(executionId, { until, timeoutMs: LONGEST_MS });
	return new Outcome(workflowId, execution);
}

/** The sandbox's products on a day: a content, null (not found), a reason for a failure, or a factor for prices. */
export type Market = Record<string, number | object | string | null>;

/** What a user changes in Collect after trying an example: from the test source to a real one. */
export const REAL_SOURCE: INodeParameters = {
	useTestSource: false,
	source: { __rl: true, mode: 'name', value: 'amazon' },
};

/**
 * Imports an example with all accounts that it needs, and runs it once a day from its first trigger.
 *
 * @param look reads what is there after each run
 * @param until the statuses that end a run; any end when absent
 */
export async function playDays<T>(
	name: string,
	days: readonly Market[],
	look: (outcome: Outcome) => Promise<T>,
	edits: Choices['edits'] = {},
	until?: string[],
): Promise<T[]> {
	const credentials = { ...(await officeCredentials()), priceCollectionApi: await createCredential() };
	const { id, nodes } = await importExample(name, { credentials, edits });
	const start = startOf(nodes);
	const seen: T[] = [];
	try {
		for (const [day, market] of days.entries()) {
			await sandbox('POST', 'options', { market });
			await onDay(day);
			const outcome = await runFrom(id, start, until);
			if (outcome.error)
				throw new Error(
					`${name}, day ${day + 1}: ${outcome.error.description ?? outcome.error.message}`,
				);
			seen.push(await look(outcome));
		}
	} finally {
		await sandbox('POST', 'options', { market: {} });
		await onDay(0);
	}
	return seen;
}
