import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { errorItem, unlessItStops } from '../n8n/items';
import { echoOf } from '../rows/rows';
import type { ServiceClient } from '../service/api/client';
import { parseUrl } from '../service/address';
import { explain, type Problem } from '../service/problems';
import { repeated } from '../values/cells';
import { makesRows } from '../settings/resultChoice';
import type { Creating, CreateSettings } from './creating';
import { existingText, ignoredText, recoveredText } from './creationTexts';
import { JobListSearch } from './lost';
import { obtain } from './obtain';
import type { PlannedJob } from './plan';
import { prepare } from './prepare';
import type { UnsentRequest } from '../run/record';
import { Room } from './room';
import { Spending } from './spending';

/** Default time to wait for a service that accepts no jobs at the moment, in milliseconds. */
const WAIT_FOR_ROOM_MS = 10 * 60_000;

/** Sorts jobs in input order: by their first requester's item, then by the position of its first value. */
function inOrder(records: Iterable<PlannedJob>): PlannedJob[] {
	const positionOf = ({ requesters: [first] }: PlannedJob) =>
		[first?.item ?? 0, first?.lookups?.[0]?.[0] ?? 0] as const;
	return [...records].sort((a, b) => {
		const [[item, position], [otherItem, otherPosition]] = [positionOf(a), positionOf(b)];
		return item - otherItem || position - otherPosition;
	});
}

const TEST_URL =
	'Webhook URL is a test URL of n8n, which works only while the trigger listens for a test event. After you publish the workflow of the trigger, use its production URL.';

/** Whether a callback URL is an n8n test URL. */
const isTestUrl = (url: unknown) =>
	typeof url === 'string' && parseUrl(url)?.pathname.includes('/webhook-test/') === true;

/** Rows for the values of a job that the service had no room for. */
function rowsWithoutRoom(
	{ request: { parameters }, requesters }: PlannedJob,
	problem: Problem,
): UnsentRequest[] {
	const quotedReason = problem.reason === undefined ? '' : ` ("${problem.reason}")`;
	const reason = repeated(`not sent, nothing was paid: ${explain(problem).message}${quotedReason}`);
	return requesters.flatMap(({ lookups = [], ...requester }) =>
		lookups.map(([position, value]): UnsentRequest => {
			const query = { ...echoOf(parameters), value };
			return { ...requester, position, row: { query, reason, isForLackOfRoom: true } };
		}),
	);
}

/**
 * The output for failed creations: rows if the run continues without those that the service had no room for, otherwise
 * error items.
 *
 * @throws NodeApiError for the first failure, unless the node continues; it names the jobs that exist
 */
function outputOfFailures(
	{ context, failures, ledger, room, settings }: Creating,
	records: readonly PlannedJob[],
): UnsentRequest[] {
	const continuesWithoutRoom = settings.continuesWithoutRoom === true && room.isFull && records.length > 0;
	const { first } = settings.choiceReader?.choices() ?? {};
	const hasRowOutput = continuesWithoutRoom && first !== undefined && makesRows(first);
	return failures.flatMap(({ planned, problem }): UnsentRequest[] => {
		if (hasRowOutput && room.isLackOfRoom(problem)) return rowsWithoutRoom(planned, problem);
		const items = planned.requesters.map(({ item }) => item);
		// If the node continues, the jobs are in its output.
		const existingJobs = context.continueOnFail() ? undefined : existingText(ledger, records, problem);
		const error = unlessItStops(context, apiError(context.getNode(), problem, items, existingJobs));
		return items.map((item) => ({ item, position: 0, error: errorItem(error, item).json }));
	});
}

/** Adds the hints about the creations of a run. */
function hintAboutCreations(
	{ client: { connection }, context, ignored, spending }: Creating,
	records: readonly PlannedJob[],
): void {
	const recovered = recoveredText(records);
	if (recovered !== undefined) hint(context, recovered);
	const ignoredParameters = ignoredText(ignored, connection);
	if (ignoredParameters !== undefined) hint(context, ignoredParameters, 'warning');
	const usesTestUrl = ({ request }: PlannedJob) =>
		isTestUrl(request.parameters[connection.webhookUrlParameter]);
	if (records.some(usesTestUrl)) hint(context, TEST_URL, 'warning');
	spending.sayExcess(context);
}

/**
 * Plans the jobs of a run and creates them. Jobs that an earlier attempt created are reused.
 *
 * @param onCreated called with the ID of each job as soon as the job is known to exist
 * @returns all jobs of the run, and the output for items without a job, such as error items for failed creations
 * @throws NodeApiError if a creation fails, unless the node continues; it names the jobs that exist
 * @throws NodeOperationError for an invalid item, unless the node continues, and for a run above the user's limits
 */
export async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	settings: CreateSettings,
	onCreated: (jobId: string) => void = () => undefined,
): Promise<{ records: PlannedJob[]; unsent: UnsentRequest[] }> {
	const { plan, unsent } = await prepare(context, client, settings);
	const stop = context.getExecutionCancelSignal();
	const creating: Creating = {
		...{ context, client, settings, onCreated, stop },
		ledger: settings.ledger,
		search: new JobListSearch(client, {
			planned: plan.length,
			timeoutMs: settings.fields.timeoutMs(),
			stop,
		}),
		spending: new Spending(settings.fields, client.connection),
		room: new Room(client.clock, settings.until ?? client.clock.now() + WAIT_FOR_ROOM_MS),
		records: new Map(),
		ignored: new Set(),
		failures: [],
	};
	await obtain(creating, plan);
	const records = inOrder(creating.records.values());
	const failed = outputOfFailures(creating, records);
	hintAboutCreations(creating, records);
	return { records, unsent: [...unsent, ...failed] };
}
