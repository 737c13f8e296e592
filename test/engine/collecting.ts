import type { IDataObject, INode, INodeParameters, INodeType } from 'n8n-workflow';

import type { Sandbox } from '../sandbox/sandbox';
import { useSandbox } from '../useSandbox';
import type { Scenario } from './harness';
import { allColumns, credentialFor, locator, scenario, TYPE } from './support';
import { time } from './virtualClock';
import { connect, node } from './workflow';

/** What to collect: terms, whose first letters steer how the sandbox answers. */
export const TERMS: INodeParameters = {
	resource: 'job',
	operation: 'collect',
	topic: 'product_and_offers',
	source: locator('name', 'google_shopping'),
	country: locator('code', 'de'),
	lookupKey: 'term',
	values: '={{ $json.term }}',
};

/** The same with an expression that fails for the items whose term is `throws`. */
export const THROWING: INodeParameters = {
	values: `={{ $json.term === 'throws' ? $('Nowhere').first().json.term : $json.term }}`,
};

/** A sandbox for a test file whose time moves with that of the node. Its jobs take ten seconds. */
export function useSandboxInTime(options: Parameters<typeof useSandbox>[0] = {}): Sandbox {
	const sandbox = useSandbox({ jobDurationMs: 10_000, ...options });
	beforeAll(() => time.listeners.add((milliseconds) => sandbox.advance(milliseconds)));
	afterAll(() => time.listeners.clear());
	return sandbox;
}

/** Adds to every item the `id` of the item of `Items` that n8n links it to, or why it finds none. */
const linkNode: INodeType = {
	description: {
		displayName: 'Link',
		name: 'link',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Link' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
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
	},
};

/** Items → Prices → Done, Running, Failed, of which Done tells n8n's item links. */
export function collecting(
	sandbox: Sandbox,
	input: IDataObject[],
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
	credential: IDataObject = {},
): Scenario {
	const base = scenario(credentialFor(sandbox, credential), { ...TERMS, ...parameters }, input, more);
	return {
		...base,
		nodeTypes: { ...base.nodeTypes, link: linkNode },
		nodes: [
			...base.nodes.filter(({ name }) => name !== 'Done'),
			node('Done', 'link'),
			node('Failed', 'link'),
		],
		connections: connect({ Items: ['Prices'], Prices: ['Done', 'Running', 'Failed'] }),
	};
}

/** The same with a Wait node behind Still Running that is wired to itself, as the examples have it. */
export function collectingInLoop(
	sandbox: Sandbox,
	input: IDataObject[],
	parameters: INodeParameters = {},
	wait: INodeParameters = {},
	more: Partial<INode> = {},
): Scenario {
	const base = collecting(sandbox, input, { waitMode: 'durable', ...parameters }, more);
	const waitNode = node(
		'Wait',
		TYPE,
		allColumns({
			resource: 'job',
			operation: 'wait',
			jobId: locator('id', '={{ $json.job_id }}'),
			waitMode: 'durable',
			output: parameters.output ?? 'results',
			...(parameters.columns !== undefined && { columns: parameters.columns }),
			...wait,
		}),
		{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } }, ...more },
	);
	return {
		...base,
		nodes: [...base.nodes, waitNode],
		connections: connect({
			Items: ['Prices'],
			Prices: ['Done', 'Wait', 'Failed'],
			Wait: ['Done', 'Wait', 'Failed'],
		}),
	};
}

/** Ids `a`, `b`, `c`, … for terms, one item each. */
export function itemsOf(...terms: unknown[]): IDataObject[] {
	return terms.map((term, index) => ({
		id: String.fromCharCode(97 + index),
		term: term as IDataObject[string],
	}));
}

/** How often the service was asked what, in the order of first asking: `POST /v2/jobs`, `GET status`, … */
export function callsOf(sandbox: Sandbox): Record<string, number> {
	const calls: Record<string, number> = {};
	for (const { method, path } of sandbox.requests) {
		const what = /^\/v2\/jobs\/[^/]+$/.test(path) ? 'status' : (/\/(\w+)$/.exec(path)?.[1] ?? path);
		const name = method === 'POST' && what === 'jobs' ? 'create' : what;
		calls[name] = (calls[name] ?? 0) + 1;
	}
	return calls;
}
