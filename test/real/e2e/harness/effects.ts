import type { INode } from 'n8n-workflow';

import { node } from '../../../engine/support/workflow';
import { listenForJson } from './servers';

export type Effects = Awaited<ReturnType<typeof startEffects>>;

/** What workflows do with their items, as seen from outside n8n: one request per item. */
export async function startEffects() {
	const received: Array<Record<string, unknown>> = [];
	const { url, close } = await listenForJson<Record<string, unknown>>((item, response) => {
		received.push(item);
		response.end('{}');
	});
	const parameters = {
		...{ method: 'POST', url, sendBody: true, specifyBody: 'json', options: {} },
		jsonBody: '={{ JSON.stringify($json) }}',
	};
	return {
		received,
		/** The jobs that the items were about, as often as they came. */
		jobIds: () => received.map(({ job_id }) => String(job_id)),
		/** A node that makes the requests. */
		report: (name = 'Report'): INode =>
			node(name, 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.2 }),
		close,
	};
}

/** Runs the work in order, `concurrency` entries at once. */
export async function inParallel<T>(
	work: readonly T[],
	concurrency: number,
	run: (entry: T) => Promise<void>,
): Promise<void> {
	const queue = [...work];
	const worker = async () => {
		for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await run(entry);
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
}
