import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isSavedApart } from './triggerMemory';

/*
 * Watches whether n8n stores what a poll emits. `__emit` is private and checked before use; `docs/contributing/decisions.md`
 * explains why it is needed.
 */

/** Emits items. n8n reports the outcome to `done`. */
type Emit = (
	data: INodeExecutionData[][],
	response?: unknown,
	done?: { resolve(): void; reject(error: Error): void },
) => void;

/**
 * Watches whether n8n stores the items that polls emit: it saves the trigger's state separately from the execution, and
 * saving the execution may fail. Watches a reused context only once. Does nothing if n8n saves both together, or has no
 * `__emit`.
 *
 * @param onEmit called when items are emitted; returns a function to call if n8n could not store them
 */
export function watchEmissions(context: IPollFunctions, onEmit: () => () => void): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (!isSavedApart(context) || emit === undefined || emit.isWatched) return;
	const watched: Emit = (data, response, done) => {
		const onFailure = onEmit();
		emit(data, response, {
			resolve: () => done?.resolve(),
			reject: (error) => {
				// An execution that a user stopped has been stored.
				if (!/Cancelled/.test(error.constructor.name)) onFailure();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}
