import type { IDataObject, IExecuteFunctions, IRunData, ITaskData } from 'n8n-workflow';

import { Requests } from '../../../nodes/PriceCollection/run/requests';
import type { Clock } from '../../../nodes/PriceCollection/service/clock';

/** What n8n keeps of a node from try to try: its context. */
export type NodeStore = IDataObject;

/** The execution and the node whose requests a test looks at. */
export interface Try {
	executionId?: string;
	/** The round of the node in its execution, from 0. */
	round?: number;
	retryOnFail?: boolean;
	/** How it was started: by hand from another one, where `retries` says what n8n knows of that, or else by a trigger. */
	mode?: 'retry' | 'trigger';
	retries?: Retried;
}

export interface Retried {
	/** When the first of these runs began, in milliseconds since 1970; n8n before 2.0 does not know. */
	since?: number;
	/** What n8n has kept of the nodes that ran before: the number of each run, and whether its items were lost. */
	runs?: Array<{ executionIndex: number; startTime: number; isLost?: true }>;
	/** n8n's store of what was seen, which is the same for all executions; one that fails where there is none. */
	seen?: Seen;
}

/** n8n's store of deduplication, as far as the node asks it. */
export class Seen {
	/** What was asked, in turn. */
	readonly asked: unknown[] = [];
	private readonly entries = new Set<string>();

	readonly checkProcessedAndRecord = async (texts: string[], scope: string, options: object) => {
		this.asked.push([texts, scope, options]);
		const isNew = (text: string) => !this.entries.has(text);
		const result = { new: texts.filter(isNew), processed: texts.filter((text) => !isNew(text)) };
		for (const text of texts) this.entries.add(text);
		return await Promise.resolve(result);
	};
}

function taskData(runs: Retried['runs'] = []): IRunData {
	const tasks = runs.map(({ isLost, ...run }): ITaskData => {
		const json = isLost ? { isArtificialRecoveredEventItem: true } : { value: 'x' };
		return { ...run, executionTime: 1, source: [], data: { main: [[{ json }]] } };
	});
	return { Before: tasks };
}

/** The part of n8n's context that the record of requests needs, with this store as the node's context. */
export function nodeContext(
	store: NodeStore,
	{ executionId = '7', round = 0, retryOnFail = false, retries, mode }: Try = {},
): IExecuteFunctions {
	const context: Partial<Record<keyof IExecuteFunctions | 'runExecutionData', unknown>> = {
		getContext: (type: string) => {
			if (type !== 'node') throw new Error(`This is the context of a node, not of a ${type}`);
			return store;
		},
		getExecutionId: () => executionId,
		getMode: () => mode ?? (retries === undefined ? 'trigger' : 'retry'),
		getExecutionContext: () => ({ establishedAt: retries?.since }),
		getNode: () => ({ name: 'Prices', type: 'x', typeVersion: 1, retryOnFail }),
		getWorkflowDataProxy: () => ({ $runIndex: round }),
		helpers: { checkProcessedAndRecord: retries?.seen?.checkProcessedAndRecord },
		runExecutionData: { resultData: { runData: taskData(retries?.runs) } },
	};
	return context as unknown as IExecuteFunctions;
}

/** The requests that a try finds, and adds to. */
export async function requestsIn(
	store: NodeStore,
	clock: Pick<Clock, 'now'>,
	executionId?: string,
): Promise<Requests> {
	return await Requests.open(nodeContext(store, { executionId }), clock);
}
