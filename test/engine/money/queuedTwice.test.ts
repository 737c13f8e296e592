import type { INode } from 'n8n-workflow';

import {
	collecting,
	LEAVES,
	rowsOf,
	TERMS,
	useCollecting,
	waitNode,
	type Outcome,
} from '../support/collecting';
import { NO_CREDITS } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { allItems, items, rounds, said } from '../support/harness';
import { allColumns, TYPE, valuesPerJob } from '../support/common';
import { time } from '../support/virtualClock';
import { SORTERS } from '../support/sorters';
import { someOf } from '../../support/runs';
import { IDS, ROWS_MEET, WIRINGS } from '../support/wirings';
import { connect, node } from '../support/workflow';

/*
 * Nodes that n8n queues a second time before their first execution sleeps. On waking, n8n disables the node of the
 * first queued entry, and a disabled node passes its items on as if they were rows. The nodes here that sort items and
 * loop replace n8n's; `e2e/waiting` plays the same workflows with the real ones.
 */

useDedupeStore();
const { sandbox, play, creations, fail, idOf } = useCollecting({ webhookDelayMs: 2 ** 30 });

const UNWIRED = connect({ Prices: ['Done'] });
const CALLS_OTHER = expect.stringContaining('An earlier execution created these jobs') as unknown;

const ITEMS = IDS.map((id) => ({ id, term: `kettle ${id}` }));

/** A Collect that keeps checking and hands running jobs to a Wait that sleeps. */
const HANDS_ON = { waitOptions: { ...LEAVES, maxWait: 0.1 } };

interface Setting {
	waitMode: 'poll' | 'durable' | 'webhook';
	/** How n8n decides which of several nodes comes next. */
	executionOrder: 'v0' | 'v1';
}

function scene(name: string, { waitMode, executionOrder }: Setting, valuesInJob = 1) {
	const base = collecting(sandbox, ITEMS, {}, {}, valuesPerJob(valuesInJob));
	const credentials = { priceCollectionApi: { id: '1', name: 'Price Collection' } };
	const more: Partial<INode> = { credentials };
	const wiring = WIRINGS[name]?.({
		...{ start: 'Items', rows: 'Done' },
		collect: (collect) =>
			node(
				collect,
				TYPE,
				allColumns({ ...TERMS, waitMode, ...(waitMode === 'poll' && HANDS_ON) }),
				more,
			),
		wait: (wait) => waitNode(wait, { waitMode: 'durable', output: 'results' }, { position: [0, 100] }),
	});
	if (wiring === undefined) throw new Error(`There is no wiring ${name}`);
	const nodes = [...base.nodes.filter(({ name: own }) => own !== 'Prices'), ...wiring.nodes];
	return {
		...{ wiring, ...base, nodes, connections: wiring.connections, settings: { executionOrder } },
		nodeTypes: { ...base.nodeTypes, ...SORTERS },
	};
}

/** The expected rows in the order of the ids, each linked to the item that asked for it. */
const asked = (times = 1) =>
	ITEMS.flatMap(({ id, term }) => Array.from({ length: times }, () => `${id} ${term} true`));

type Wake = 'timer' | 'callback';
/**
 * When jobs end, the newest first. `soon`: one before each timer or call. `atOnceOrLate`: some while the node still
 * runs, the others one before every third timer or call.
 */
type Ends = 'soon' | 'atOnceOrLate';
const QUICK = ['b', 'd'];

function finishQuick(): void {
	for (const { job_id, values } of sandbox.jobs)
		if (QUICK.some((id) => values.includes(`kettle ${id}`))) sandbox.finishJob(job_id);
}
afterEach(() => void time.listeners.delete(finishQuick));

async function toEnd(begun: Outcome, wake: Wake, ends: Ends): Promise<Outcome> {
	let run = begun;
	const ended = new Set<string>();
	for (let rounds = 0; run.isAsleep && rounds < 60; rounds++) {
		const open = [...sandbox.jobs.entries()].filter(([, { job_id }]) => !ended.has(job_id));
		const next = ends === 'soon' || rounds % 3 === 2 ? open.at(-1) : undefined;
		if (next === undefined) {
			run = await run.byTimer();
			continue;
		}
		const [index, { job_id }] = next;
		ended.add(job_id);
		sandbox.finishJob(job_id);
		const called = wake === 'callback' ? await run.callBack(index) : undefined;
		run = called?.isWoken === true ? called : await run.byTimer();
	}
	return run;
}

/** The Still Running items that this package's nodes put out as finished. */
const ticketsOf = ({ run, scene: { nodes } }: Outcome) =>
	nodes
		.filter(({ type }) => type === TYPE)
		.flatMap(({ name }) => allItems(run, name))
		.filter(({ still_running: isRunning }) => isRunning === true);

const SETTINGS: Array<[Setting['waitMode'], Setting['executionOrder'], Wake, Ends]> = [
	['poll', 'v0', 'timer', 'atOnceOrLate'],
	['poll', 'v1', 'timer', 'atOnceOrLate'],
	['durable', 'v0', 'timer', 'atOnceOrLate'],
	['durable', 'v1', 'timer', 'soon'],
	['durable', 'v1', 'timer', 'atOnceOrLate'],
	['webhook', 'v0', 'timer', 'soon'],
	['webhook', 'v1', 'timer', 'atOnceOrLate'],
	['webhook', 'v0', 'callback', 'atOnceOrLate'],
	['webhook', 'v1', 'callback', 'atOnceOrLate'],
];

/** With an odd number of settings, each wiring has other ones where only some are played. */
const PLAYED = Object.keys(WIRINGS)
	.flatMap((name) => SETTINGS.map((setting) => [name, ...setting] as const))
	.filter(([name, , executionOrder]) => name !== ROWS_MEET || executionOrder === 'v1');

it.each(someOf(PLAYED, 2))(
	'%s: no row is lost or doubled: %s, %s, by %s, jobs end %s',
	async (name, waitMode, executionOrder, wake, ends) => {
		sandbox.setOptions({ autoFinish: false });
		if (ends === 'atOnceOrLate') time.listeners.add(finishQuick);
		const { wiring, ...played } = scene(name, { waitMode, executionOrder });
		const over = await toEnd(await play(played), wake, ends);
		const last = items(over.run, 'Done', 0, rounds(over.run, 'Done') - 1);
		const rows = wiring.isCumulative ? rowsOf(last) : over.rows;
		expect([over.error, over.isAsleep, rows.sort()]).toEqual(['', false, asked(wiring.times)]);
		expect(ticketsOf(over)).toEqual([]);
		expect(creations()).toBe(ITEMS.length * (wiring.times ?? 1));
	},
);

it.each(['v0', 'v1'] as const)(
	'a retry by hand that wakes by itself, because the service calls the earlier execution, beside another entry: %s',
	async (executionOrder) => {
		sandbox.setOptions({ autoFinish: false });
		const { wiring, ...played } = scene('If with both outputs into one Collect', {
			...{ waitMode: 'webhook', executionOrder },
		});
		expect(wiring.nodes).toHaveLength(3);
		// The third job is refused. In v1 it belongs to the first entry, in v0 to the second.
		fail('create', NO_CREDITS, { nth: 3 });
		let begun = await play({ ...played, connections: { ...played.connections, ...UNWIRED } });
		if (begun.isAsleep) {
			sandbox.finishJob(idOf());
			begun = await begun.callBack();
		}
		expect(begun.error).toContain('There are not enough credits');
		const again = await begun.retry();
		expect([again.isAsleep, said(again.run, 'Prices', rounds(again.run, 'Prices') - 1)]).toEqual([
			true,
			[CALLS_OTHER],
		]);
		const over = await toEnd(again, 'callback', 'soon');
		expect([over.error, over.isAsleep, over.rows.sort()]).toEqual(['', false, asked()]);
		// One for each item, plus the refused one.
		expect(creations()).toBe(ITEMS.length + 1);
	},
);
