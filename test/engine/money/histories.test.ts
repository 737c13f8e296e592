import fc from 'fast-check';

import { runs } from '../../support/runs';
import { useClockOfPauses, useSandboxInTime } from '../support/collecting';
import { useDedupeStore } from '../support/dedupeStore';
import { audit } from './historyAudit';
import { histories, PLAIN, type History } from './history';
import { play } from './historyPlay';

const LONGEST_MS = 3_600_000;

const jobs = { method: 'GET', pathPattern: '/jobs/[^/]+$' };
/** What random histories have found, or rarely come to. */
const FOUND: History[] = [
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931'], ['4006381333931']],
		waitMode: 'webhook',
		timeout: { minutes: 12, used: 0 },
		faults: [{ match: jobs, times: 6, fault: { type: 'serverError' } }],
	},
	{
		...PLAIN,
		key: 'term',
		items: [['kettle', 'notfound-x']],
		waitMode: 'durable',
		maxWait: 1,
		onError: 'continueRegularOutput',
		retryOnFail: true,
		creations: ['emptyAfter'],
		faults: [{ match: jobs, times: 3, fault: { type: 'tooManyRequests', retryAfterSeconds: 20 } }],
		steps: [{ step: 'pass', minutes: 300 }],
	},
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931']],
		waitMode: 'durable',
		maxWait: 1,
		onError: 'continueRegularOutput',
		faults: [{ match: jobs, times: 9, fault: { type: 'serverError' } }],
		steps: [{ step: 'pass', minutes: 300 }],
	},
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931']],
		waitMode: 'webhook',
		service: { jobDurationMs: 3_600_000 },
		faults: [
			{
				match: { method: 'GET', pathPattern: '/download' },
				times: 6,
				fault: { type: 'tooManyRequests', retryAfterSeconds: 20 },
			},
		],
		steps: [
			{ step: 'pass', minutes: 20 },
			{ step: 'callback', job: 0, isOver: true, times: 1, how: 'genuine' },
			{ step: 'pass', minutes: 20 },
		],
	},
	{
		...PLAIN,
		service: { jobDurationMs: 500, listFields: ['order', 'values', 'times'] },
		twinBeside: true,
		creations: ['lostBefore'],
	},
];

const retried = useDedupeStore();
// Callbacks are played by the model.
const sandbox = useSandboxInTime({ manualClock: true, webhookLossEvery: 1 }, useClockOfPauses());

it(
	'pays nothing twice, loses nothing, takes nothing of others and strands no run, whatever happens',
	async () => {
		await fc.assert(
			fc.asyncProperty(histories, async (history) => {
				// The executions of each history have the same IDs.
				retried.rows.clear();
				expect(audit(await play(sandbox, history))).toEqual([]);
			}),
			{
				numRuns: runs(250),
				examples: FOUND.map((history): [History] => [history]),
			},
		);
	},
	LONGEST_MS,
);
