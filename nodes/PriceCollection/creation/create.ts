import type { IExecuteFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { errorItem, unlessItStops } from '../n8n/items';
import { echoOf } from '../rows/rows';
import type { ServiceClient } from '../service/api/client';
import { parseUrl } from '../service/connection';
import { explain, type Problem } from '../service/problems';
import { repeated } from '../values/cells';
import { makesRows } from '../settings/resultChoice';
import type { Creating } from './creating';
import { existingText, ignoredText, recoveredText } from './creationTexts';
import { JobListSearch } from './lost';
import { obtain } from './obtain';
import { prepare, type CreateSettings, type PlannedJob } from './plan';
import type { UnsentRequest } from '../run/record';
import { Room } from './room';
import { Spending } from './spending';

/** How long creations wait for the service by default, in milliseconds. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** In the order of the input: by the first item and value of each job. */
function inOrder(records: Iterable<PlannedJob>): PlannedJob[] {
	const placeOf = ({ requesters: [first] }: PlannedJob) =>
		[first?.item ?? 0, first?.lookups?.[0]?.[0] ?? 0] as const;
	return [...records].sort((a, b) => {
		const [[item, position], [otherItem, otherPlace]] = [placeOf(a), placeOf(b)];
		return item - otherItem || position - otherPlace;
	});
}

const TEST_URL =
	'Webhook URL is a test URL of n8n, which is answered only while the trigger listens for a test event. Once the workflow of the trigger is published, use its production URL.';

/** Whether a callback address is one of n8n's for tests. */
const isTestUrl = (url: unknown) =>
	typeof url === 'string' && parseUrl(url)?.pathname.includes('/webhook-test/') === true;

/** The rows of the values of a job for which the service had no room. */
function rowsWithoutRoom(
	{ request: { parameters }, requesters }: PlannedJob,
	problem: Problem,
): UnsentRequest[] {
	const words = problem.reason === undefined ? '' : ` ("${problem.reason}")`;
	const reason = repeated(`not sent, nothing was paid: ${explain(problem).message}${words}`);
	return requesters.flatMap(({ item, givenPrices, lookups = [] }) =>
		lookups.map(([position, value]): UnsentRequest => {
			const query = { ...echoOf(parameters), value };
			return { item, position, givenPrices, row: { query, reason, isForLackOfRoom: true } };
		}),
	);
}

/**
 * Plans the jobs of a run and creates them, except those that an earlier attempt created.
 *
 * @param onCreated called with the ID of each job as soon as the job is known to exist
 * @returns all of these jobs, and the output of items without one, such as error items for failed creations
 * @throws NodeApiError for a failed creation, unless the node continues; it names the existing jobs
 * @throws NodeOperationError for invalid requests, and for costs above the user's limit
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
		room: new Room(client.clock, settings.until ?? client.clock.now() + LONGEST_WAIT_MS),
		records: new Map(),
		ignored: new Set(),
		failures: [],
	};
	await obtain(creating, plan);
	const { failures, room, spending } = creating;
	const records = inOrder(creating.records.values());
	const goesOn = settings.goesOnWithoutRoom === true && room.isFull && records.length > 0;
	const { first } = settings.choices?.choices() ?? {};
	const haveRows = goesOn && first !== undefined && makesRows(first);
	const errors = failures.flatMap(({ planned, problem }): UnsentRequest[] => {
		if (haveRows && room.isFor(problem)) return rowsWithoutRoom(planned, problem);
		const items = planned.requesters.map(({ item }) => item);
		// Where the node continues, the jobs are output.
		const existing = context.continueOnFail()
			? undefined
			: existingText(settings.ledger, records, problem);
		const error = unlessItStops(context, apiError(context.getNode(), problem, items, existing));
		return items.map((item) => ({ item, position: 0, error: errorItem(error, item).json }));
	});
	const recovered = recoveredText(records);
	if (recovered !== undefined) hint(context, recovered);
	const ignored = ignoredText(creating.ignored, client.connection);
	if (ignored !== undefined) hint(context, ignored, 'warning');
	const callsTest = ({ request }: PlannedJob) =>
		isTestUrl(request.parameters[client.connection.webhookUrlParameter]);
	if (records.some(callsTest)) hint(context, TEST_URL, 'warning');
	spending.sayExcess(context);
	return { records, unsent: [...unsent, ...errors] };
}
