import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { useSandbox } from '../../support/useSandbox';
import { createJob, fail } from './core';
import {
	allItems,
	build,
	errorOf,
	errorText,
	items,
	linksOf,
	nodeType,
	rounds,
	runWorkflow,
	said,
} from './harness';
import type { Scenario } from './harness';
import type { IncomingRequest } from './requests';
import { resumeByUrl, retryByHand, throughTimers } from './resume';
import { allColumns, credentialFor, locator, scenario, TYPE } from './common';
import { now, time } from './virtualClock';
import { connect, node } from './workflow';

/** What to collect: terms. Their first letters steer the sandbox's answers. */
export const TERMS: INodeParameters = {
	resource: 'job',
	operation: 'collect',
	topic: 'product_and_offers',
	source: locator('name', 'google_shopping'),
	country: locator('code', 'de'),
	lookupKey: 'term',
	values: '={{ $json.term }}',
};

/** The job that each item names. */
export const NAMED: INodeParameters = { jobId: locator('id', '={{ $json.job_id }}') };

/** An expression for Values that fails for items whose term is `throws`. */
export const THROWING: INodeParameters = {
	values: `={{ $json.term === 'throws' ? $('Nowhere').first().json.term : $json.term }}`,
};

/** Wait options with which a running job leaves through the second output. */
export const LEAVES = { onDeadline: 'stillRunning' };

type Options = Parameters<typeof useSandbox>[0];

/** A sandbox for a test file, with the node's time. Its jobs take ten seconds. */
export function useSandboxInTime(options: Options = {}, clock?: () => number): Sandbox {
	const sandbox = useSandbox({ jobDurationMs: 10_000, ...options }, clock);
	beforeAll(() => time.listeners.add((milliseconds) => sandbox.advance(milliseconds)));
	afterAll(() => time.listeners.clear());
	return sandbox;
}

/** Makes only pauses move time in a test file. n8n needs this, too: it notes by its clock when a node began. */
export function useClockOfPauses(): () => number {
	const start = Date.now();
	time.base = () => start;
	beforeAll(() => jest.spyOn(Date, 'now').mockImplementation(now));
	afterAll(() => jest.restoreAllMocks());
	return time.base;
}

/** Adds to every item the `id` of the `Items` item that n8n links it to, or the reason why it finds none. */
const linkNode = nodeType('link', async function () {
	const linkOf = (index: number): unknown => {
		try {
			return this.evaluateExpression(`{{ $('Items').item.json.id }}`, index);
		} catch (error) {
			return (error as Error).message;
		}
	};
	return [
		this.getInputData().map(({ json, binary }, index) => ({
			json: { ...json, linked: linkOf(index) as IDataObject[string] },
			binary,
			pairedItem: { item: index },
		})),
	];
});

/** n8n's names for the outputs of this package's node, without the error output; a single output has no name. */
export function outputsOf({ nodes }: Pick<Scenario, 'nodes'>, name: string): string[] {
	const own = nodes.filter((one) => one.name === name).map((one) => ({ ...one, type: TYPE }));
	const prices = new PriceCollection();
	const { workflow } = build({ nodeTypes: { [TYPE]: prices }, nodes: own, connections: {} });
	const outputs = NodeHelpers.getNodeOutputs(workflow, workflow.getNode(name)!, prices.description);
	const main = outputs.filter((output) => typeof output === 'string' || output.category !== 'error');
	return main.map((output) => (typeof output === 'object' && output.displayName) || '');
}

/** Items → Prices → Done, Running (if the node has that output) and Failed. Done shows n8n's item links. */
export function collecting(
	sandbox: Sandbox,
	input: IDataObject[],
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
	credential: IDataObject = {},
): Scenario {
	const base = scenario(credentialFor(sandbox, credential), { ...TERMS, ...parameters }, input, more);
	const running = outputsOf(base, 'Prices').length > 1 ? ['Running'] : [];
	return {
		...base,
		nodeTypes: { ...base.nodeTypes, link: linkNode },
		nodes: [
			...base.nodes.filter(({ name }) => name !== 'Done'),
			node('Done', 'link'),
			node('Failed', 'link'),
		],
		connections: connect({ Items: ['Prices'], Prices: ['Done', ...running, 'Failed'] }),
	};
}

/** A Wait node for the jobs that its items name. */
export function waitNode(name: string, parameters: INodeParameters, more: Partial<INode> = {}): INode {
	return node(name, TYPE, allColumns({ resource: 'job', operation: 'wait', ...NAMED, ...parameters }), {
		credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } },
		...more,
	});
}

/** `collecting` with a Wait node behind Still Running that is wired to itself, as in the examples. */
export function collectingInLoop(
	sandbox: Sandbox,
	input: IDataObject[],
	parameters: INodeParameters = {},
	wait: INodeParameters = {},
	more: Partial<INode> = {},
	credential: IDataObject = {},
): Scenario {
	const { output = 'results', columns } = parameters;
	const base = collecting(sandbox, input, { waitMode: 'durable', ...parameters }, more, credential);
	const own = { waitMode: 'durable', output, ...(columns !== undefined && { columns }), ...wait };
	return beside(base, [waitNode('Wait', own, more)], {
		Prices: ['Done', 'Wait', 'Failed'],
		Wait: ['Done', 'Wait', 'Failed'],
	});
}

/** The node waits for the jobs that the items name, by `job_id`. */
export function waiting(
	sandbox: Sandbox,
	input: IDataObject[],
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): Scenario {
	return collecting(sandbox, input, { operation: 'wait', ...NAMED, ...parameters }, more);
}

/** The scenario with more nodes and types, and with the named nodes' connections replaced. */
export function beside(
	base: Scenario,
	nodes: INode[],
	wires: Parameters<typeof connect>[0],
	types: Scenario['nodeTypes'] = {},
): Scenario {
	return {
		...base,
		nodeTypes: { ...base.nodeTypes, ...types },
		nodes: [...base.nodes, ...nodes],
		connections: { ...base.connections, ...connect(wires) },
	};
}

/** The scenario with Still Running wired back to its node. */
export const toItself = (base: Scenario): Scenario =>
	beside(base, [], { Prices: ['Done', 'Prices', 'Failed'] });

/** Items with ids `a`, `b`, `c`, …, one for each term. Items with an id stay as they are. */
export function itemsOf(...terms: unknown[]): IDataObject[] {
	return terms.map((term, index) =>
		typeof term === 'object' && term !== null && 'id' in term
			? (term as IDataObject)
			: { id: String.fromCharCode(97 + index), term: term as IDataObject[string] },
	);
}

/** How often each call was made, in the order of first use: `create`, `status`, `jobs`, … */
export function callsOf(sandbox: Sandbox): Record<string, number> {
	const calls: Record<string, number> = {};
	for (const { method, path } of sandbox.requests) {
		const what = /^\/v2\/jobs\/[^/]+$/.test(path) ? 'status' : (/\/(\w+)$/.exec(path)?.[1] ?? path);
		const name = method === 'POST' && what === 'jobs' ? 'create' : what;
		calls[name] = (calls[name] ?? 0) + 1;
	}
	return calls;
}

/** `linked value found` of every row. */
export const rowsOf = (rows: readonly IDataObject[]): string[] =>
	rows.map(({ linked, value, found }) => `${linked} ${value} ${found}`);

/** A run of such a scenario so far, and what people see of it. */
export class Outcome {
	/** The status that the callback got, and whether the run continued. */
	status?: number;
	isWoken = false;

	constructor(
		private readonly sandbox: Sandbox,
		readonly scene: Scenario,
		readonly run: IRun,
	) {}

	/** Items that reached a node, in all rounds. */
	get done(): IDataObject[] {
		return allItems(this.run, 'Done');
	}

	get running(): IDataObject[] {
		return allItems(this.run, 'Running');
	}

	get failed(): IDataObject[] {
		return allItems(this.run, 'Failed');
	}

	/** The rows of all rounds, see {@link rowsOf}. */
	get rows(): string[] {
		return rowsOf(this.done);
	}

	/** The node's first output in its last round. */
	get given(): IDataObject[] {
		return items(this.run, 'Prices', 0, rounds(this.run, 'Prices') - 1);
	}

	get links() {
		return linksOf(this.run);
	}

	get hints(): string[] {
		return said(this.run);
	}

	/** Message and description of the error that ended it. */
	get error(): string {
		return errorText(this.run);
	}

	get message(): string | undefined {
		return errorOf(this.run)?.message;
	}

	get isAsleep(): boolean {
		return this.run.data.waitTill !== undefined;
	}

	private with(run: IRun, scene = this.scene): Outcome {
		return new Outcome(this.sandbox, scene, run);
	}

	/** Lets its timer pass. */
	async byTimer(): Promise<Outcome> {
		return await this.throughTimers(1);
	}

	async throughTimers(most?: number): Promise<Outcome> {
		return this.with(await throughTimers(this.scene, this.run, most));
	}

	/** The service or somebody else calls back for a job. Another scene means that the node was changed in between. */
	async callBack(
		index = 0,
		request: IncomingRequest = {},
		scene = this.scene,
		url?: string,
	): Promise<Outcome> {
		const { webhookUrl, job_id } = this.sandbox.jobs[index] ?? {};
		const called = await resumeByUrl(scene, this.run, url ?? String(webhookUrl), {
			body: { job_id },
			...request,
		});
		const woken = called.status === 200 ? called.run : undefined;
		const status = called.status === 200 ? called.response.status : called.status;
		return Object.assign(this.with(woken ?? this.run), { status, isWoken: woken !== undefined });
	}

	/** Somebody retries the execution by hand. */
	async retry(executionId = '43'): Promise<Outcome> {
		const { run, scenario } = await retryByHand(this.scene, this.run, executionId);
		return this.with(run, scenario);
	}
}

/** A sandbox for all tests of a file, and helpers to use it. */
export function useCollecting(options: Options = {}, clock?: () => number) {
	const sandbox = useSandboxInTime(options, clock);
	const play = async (scene: Scenario) =>
		new Outcome(sandbox, scene, await runWorkflow({ startsAt: now(), ...scene }));
	const idOf = (index = 0) => String(sandbox.jobs[index]?.job_id);
	return {
		sandbox,
		play,
		idOf,
		/** Collects terms, or what items ask for. */
		collect: async (asked: unknown[], ...more: Tail<Tail<Parameters<typeof collecting>>>) =>
			await play(collecting(sandbox, itemsOf(...asked), ...more)),
		/** The same in a loop with a Wait node. */
		collectInLoop: async (asked: unknown[], ...more: Tail<Tail<Parameters<typeof collectingInLoop>>>) =>
			await play(collectingInLoop(sandbox, itemsOf(...asked), ...more)),
		/** Waits for the jobs that the items name. */
		wait: async (...asked: Tail<Parameters<typeof waiting>>) => await play(waiting(sandbox, ...asked)),
		/** A job of these values that exists already, as if created elsewhere. */
		create: async (values: string) => await createJob(sandbox, { values }),
		/** How many creations were sent, and the values of each job that there is. */
		creations: () => callsOf(sandbox).create ?? 0,
		valuesOfJobs: () => sandbox.jobs.map(({ values }) => values),
		idsOfJobs: () => sandbox.jobs.map(({ job_id }) => job_id),
		fail: (...how: Tail<Parameters<typeof fail>>) => fail(sandbox, ...how),
		finish: (...indexes: number[]) => indexes.forEach((index) => sandbox.finishJob(idOf(index))),
	};
}

type Tail<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;
