import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
	IRunExecutionData,
	ISourceData,
	ITaskData,
	IWebhookFunctions,
} from 'n8n-workflow';

/*
 * Members of n8n that are not public. Each is looked for before it is used, and says what happens in an n8n without
 * it; `docs/decisions.md` says why each is needed.
 */

/**
 * Lets `execute()` of a suspended node run again, with this item as its input.
 *
 * @param source the node whose items were its input before the suspension, for n8n's item linking
 * @returns the input to hand over; undefined in an n8n where the node cannot run again
 */
export function runAgain(
	context: IWebhookFunctions,
	item: IDataObject,
	source: ISourceData | undefined,
): INodeExecutionData[][] | undefined {
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const entry = runExecutionData?.executionData?.nodeExecutionStack[0];
	if (entry === undefined) return undefined;
	entry.node.disabled = false;
	if (source !== undefined) entry.source = { main: [source] };
	return [[{ json: item }]];
}

/** What n8n puts in the place of items that were lost when it was killed. */
function standsForLostItems({ data }: ITaskData): boolean {
	return data?.main?.[0]?.[0]?.json.isArtificialRecoveredEventItem === true;
}

/**
 * When the execution began that is retried by hand after n8n was killed in the middle of it, in milliseconds since 1970,
 * not later than it was. For a node of whose own first try n8n has kept nothing; undefined where n8n has kept what other
 * nodes gave out before, for every other execution, and where n8n does not tell.
 */
export function startOfKilledRun(context: IExecuteFunctions): number | undefined {
	if (context.getMode() !== 'retry') return undefined;
	const { runExecutionData } = context as unknown as { runExecutionData?: IRunExecutionData };
	const runs = Object.values(runExecutionData?.resultData.runData ?? {}).flat();
	// Out of n8n's event log, which notes whole seconds.
	const starts = runs.filter(standsForLostItems).map(({ startTime }) => startTime * 1000);
	if (starts.length > 0) return Math.min(...starts);
	// n8n numbers the nodes of each run from 0: where a number is there twice, an earlier run ended before it came to us.
	const numbers = new Set(runs.map(({ executionIndex }) => executionIndex));
	if (numbers.size < runs.length) return undefined;
	return startOfFirstRun(context);
}

/**
 * When the execution began that this one is, or that it retries, be it by a retry of a retry, in milliseconds since 1970.
 * Undefined where n8n does not tell: an older one keeps no such context.
 */
export function startOfFirstRun(context: IExecuteFunctions): number | undefined {
	return context.getExecutionContext?.()?.establishedAt;
}

/** What n8n hands a poll's items over with, and who hears how that went. */
interface Emission {
	resolve(): void;
	reject(error: Error): void;
}
type Emit = (data: INodeExecutionData[][], response?: unknown, done?: Emission) => void;

/**
 * Watches what becomes of the items of polls: n8n keeps the trigger's memory and stores the execution at the same time,
 * and the second may fail. A context that is used for many polls is watched once. Without the member nobody hears of it.
 *
 * @param begun called when the items are handed over; it gives what to do when they could not be stored
 */
export function watchEmissions(context: IPollFunctions, begun: () => () => void): void {
	const poll = context as unknown as { __emit?: Emit & { isWatched?: true } };
	const emit = poll.__emit;
	if (emit === undefined || emit.isWatched) return;
	const watched: Emit = (data, response, done) => {
		const failed = begun();
		emit(data, response, {
			resolve: () => done?.resolve(),
			reject: (error) => {
				// An execution that somebody stops was stored before.
				if (!/Cancelled/.test(error.constructor.name)) failed();
				done?.reject(error);
			},
		});
	};
	poll.__emit = Object.assign(watched, { isWatched: true as const });
}
