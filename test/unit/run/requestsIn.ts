import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

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
}

/** The part of n8n's context that the record of requests needs, with this store as the node's context. */
export function nodeContext(
	store: NodeStore,
	{ executionId = '7', round = 0, retryOnFail = false }: Try = {},
): IExecuteFunctions {
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getContext: (type: string) => {
			if (type !== 'node') throw new Error(`This is the context of a node, not of a ${type}`);
			return store;
		},
		getExecutionId: () => executionId,
		getMode: () => 'trigger',
		getNode: () => ({ name: 'Prices', type: 'x', typeVersion: 1, retryOnFail }),
		getWorkflowDataProxy: () => ({ $runIndex: round }),
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
