import type { IConnections, IExecuteFunctions } from 'n8n-workflow';

import { disabledNodeBehind, isWired, leadsToWait } from '../../../nodes/PriceCollection/n8n/wiring';
import { connect } from '../../engine/support/workflow';

const OURS = 'n8n-nodes-price-collection.priceCollection';
const TYPES: Record<string, string> = {
	...{ Collect: OURS, Wait: OURS, Off: OURS, Get: OURS },
	...{ Edit: 'x.set', Idle: 'x.set', Done: 'x.noOp' },
};
const DISABLED = ['Off', 'Idle'];

/** n8n's view of a node called Collect with this wiring. `tells: false`: an n8n that does not show its `workflow`. */
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

/** Whether the output leads to a node that waits for jobs, and whether anything is wired to it. */
describe('an output', () => {
	it.each<[string, Record<string, Array<string | string[]>>, boolean, boolean]>([
		['directly', { Collect: ['Done', 'Wait'] }, true, true],
		['behind others', { Collect: ['Done', 'Edit'], Edit: ['Wait'] }, true, true],
		['beside others', { Collect: ['Done', ['Done', 'Wait']] }, true, true],
		['back to itself, which does not wait', { Collect: ['Done', 'Collect'] }, false, true],
		['behind a node of ours, which keeps it', { Collect: ['Done', 'Get'], Get: ['Wait'] }, false, true],
		['through a disabled node', { Collect: ['Done', 'Idle'], Idle: ['Wait'] }, true, true],
		['through a disabled one to another', { Collect: ['Done', 'Idle'], Idle: ['Edit'] }, false, true],
		['through a disabled one of ours', { Collect: ['Done', 'Off'], Off: ['Wait'] }, false, false],
		['not at all', { Collect: ['Done', 'Edit'], Edit: ['Done'] }, false, true],
		['only by the other output', { Collect: ['Wait', 'Done'] }, false, true],
		['to a disabled one', { Collect: ['Done', 'Off'], Off: ['Done'] }, false, false],
		['to a disabled one beside others', { Collect: ['Done', ['Edit', 'Off']] }, false, false],
		['to a disabled one behind others', { Collect: ['Done', 'Edit'], Edit: ['Off'] }, false, false],
		['to a disabled one beside Wait', { Collect: ['Done', ['Off', 'Wait']] }, false, false],
		[
			'to a disabled one behind Wait, which keeps it',
			{ Collect: ['Done', 'Wait'], Wait: ['Off'] },
			true,
			true,
		],
		['in a circle', { Collect: ['Done', 'Idle'], Idle: ['Idle'] }, false, false],
		['beside an empty list', { Collect: ['Done', [], 'Edit'] }, false, false],
		['unwired', { Collect: ['Wait'] }, false, false],
		['nothing wired', {}, false, false],
	])('%s', (_name, wires, leads, wired) => {
		const context = contextOf(connect(wires));
		expect([leadsToWait(context, 1), isWired(context, 1)]).toEqual([leads, wired]);
	});

	it.each<[string, Record<string, Array<string | string[]>>, string | undefined]>([
		['directly', { Collect: ['Done', 'Off'] }, 'Off'],
		['through others', { Collect: ['Done', ['Wait', 'Idle']], Idle: ['Off'] }, 'Off'],
		['not through a node of ours', { Collect: ['Done', 'Wait'], Wait: ['Off'] }, undefined],
		[
			'not by the second output of a disabled one',
			{ Collect: ['Done', 'Idle'], Idle: ['Edit', 'Off'] },
			undefined,
		],
		['not by the other output', { Collect: ['Off', 'Wait'] }, undefined],
	])('leads to a disabled node of ours %s', (_name, wires, passer) => {
		expect(disabledNodeBehind(contextOf(connect(wires)), 1)).toBe(passer);
		expect(disabledNodeBehind(contextOf(connect(wires), false), 1)).toBeUndefined();
	});

	it('counts a node behind any output in an n8n that does not tell them apart', () => {
		expect(leadsToWait(contextOf(connect({ Collect: ['Wait'] }), false), 1)).toBe(true);
		for (const other of ['Done', 'Off']) {
			expect(leadsToWait(contextOf(connect({ Collect: [other] }), false), 1)).toBe(false);
		}
	});

	it('is not known in an n8n that does not tell', () => {
		expect(isWired(contextOf(connect({ Collect: ['Done', 'Edit'] }), false), 1)).toBeUndefined();
	});

	it('is not known of what lies beyond the node that the editor runs up to', () => {
		const runExecutionData = { startData: { destinationNode: { nodeName: 'Collect' } } };
		const upTo = (...outputs: string[]) =>
			Object.assign(contextOf(connect({ Collect: outputs })), { runExecutionData });
		expect([isWired(upTo('Done'), 1), isWired(upTo('Done', 'Edit'), 1)]).toEqual([undefined, true]);
	});
});
