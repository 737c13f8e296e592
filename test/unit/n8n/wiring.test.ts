import type { IConnections, IExecuteFunctions } from 'n8n-workflow';

import { isWired, leadsToWait } from '../../../nodes/PriceCollection/n8n/wiring';
import { connect } from '../../engine/workflow';

const OURS = 'n8n-nodes-price-collection.priceCollection';
const TYPES: Record<string, string> = {
	...{ Collect: OURS, Wait: OURS, Off: OURS, Get: OURS },
	...{ Edit: 'x.set', Idle: 'x.set', Done: 'x.noOp' },
};
const DISABLED = ['Off', 'Idle'];

/** n8n's own view of a node called Collect that is wired so; without `workflow`, as an n8n that does not tell. */
function contextOf(connections: IConnections, tells = true): IExecuteFunctions {
	const behind = (name: string, seen = new Set<string>()): string[] => {
		for (const { node } of (connections[name]?.main ?? []).flatMap((output) => output ?? [])) {
			if (!seen.has(node)) behind(node, seen.add(node));
		}
		return [...seen];
	};
	const typeOf = (name: string) => ({
		...{ name, type: TYPES[name] ?? '', disabled: DISABLED.includes(name) },
		parameters: { operation: { Collect: 'collect', Get: 'get' }[name] ?? 'wait' },
	});
	const workflow = {
		connectionsBySourceNode: connections,
		getNode: (name: string) => typeOf(name),
	};
	const context: Partial<IExecuteFunctions> = {
		getNode: () => ({ id: '', typeVersion: 1, position: [0, 0], ...typeOf('Collect') }),
		getChildNodes: ((name: string) => behind(name).map(typeOf)) as never,
	};
	return { ...context, ...(tells ? { workflow } : {}) } as unknown as IExecuteFunctions;
}

describe('whether an output leads to a node that waits for jobs', () => {
	it.each<[string, Record<string, Array<string | string[]>>, boolean]>([
		['directly', { Collect: ['Done', 'Wait'] }, true],
		['behind others', { Collect: ['Done', 'Edit'], Edit: ['Wait'] }, true],
		['beside others', { Collect: ['Done', ['Done', 'Wait']] }, true],
		['back to itself, which does not wait for jobs', { Collect: ['Done', 'Collect'] }, false],
		[
			'behind another node of this package, which keeps it',
			{ Collect: ['Done', 'Get'], Get: ['Wait'] },
			false,
		],
		['through a disabled node', { Collect: ['Done', 'Idle'], Idle: ['Wait'] }, true],
		['only through a disabled one of ours', { Collect: ['Done', 'Off'], Off: ['Wait'] }, false],
		['not at all', { Collect: ['Done', 'Edit'], Edit: ['Done'] }, false],
		['only by the other output', { Collect: ['Wait', 'Done'] }, false],
		['only a disabled one', { Collect: ['Done', 'Off'], Off: ['Done'] }, false],
		['unwired', { Collect: ['Wait'] }, false],
		['nothing wired', {}, false],
	])('%s', (_name, wires, expected) => {
		expect(leadsToWait(contextOf(connect(wires)), 1)).toBe(expected);
	});

	it('counts a node behind any output in an n8n that does not tell them apart', () => {
		expect(leadsToWait(contextOf(connect({ Collect: ['Wait'] }), false), 1)).toBe(true);
		for (const other of ['Done', 'Off']) {
			expect(leadsToWait(contextOf(connect({ Collect: [other] }), false), 1)).toBe(false);
		}
	});
});

describe('whether anything is wired to an output', () => {
	it.each<[string, Record<string, Array<string | string[]>>, boolean]>([
		['a node', { Collect: ['Done', 'Edit'] }, true],
		['only to the other output', { Collect: ['Done'] }, false],
		['an empty list', { Collect: ['Done', [], 'Edit'] }, false],
		['only a disabled node of ours', { Collect: ['Done', 'Off'], Off: ['Done'] }, false],
		['a disabled node that hands on to another', { Collect: ['Done', 'Idle'], Idle: ['Edit'] }, true],
		['a disabled node in a circle', { Collect: ['Done', 'Idle'], Idle: ['Idle'] }, false],
		['nothing', {}, false],
	])('%s', (_name, wires, expected) => {
		expect(isWired(contextOf(connect(wires)), 1)).toBe(expected);
	});

	it('is not known in an n8n that does not tell', () => {
		expect(isWired(contextOf(connect({ Collect: ['Done', 'Edit'] }), false), 1)).toBeUndefined();
	});

	it('is not known of what lies beyond the node that the editor runs up to', () => {
		const upTo = (wires: Record<string, string[]>) =>
			({
				...contextOf(connect(wires)),
				runExecutionData: { startData: { destinationNode: { nodeName: 'Collect' } } },
			}) as unknown as IExecuteFunctions;
		expect(isWired(upTo({ Collect: ['Done'] }), 1)).toBeUndefined();
		expect(isWired(upTo({ Collect: ['Done', 'Edit'] }), 1)).toBe(true);
	});
});
