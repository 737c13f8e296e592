import { type IDataObject, type INode, type INodeTypes, type IPollFunctions, Workflow } from 'n8n-workflow';

import { isSavedApart, triggerMemory } from '../../../nodes/PriceCollection/n8n/triggerMemory';

const TYPE = 'n8n-nodes-price-collection.priceCollectionPollingTrigger';
const trigger = (id: string, name = id): INode => ({
	...{ id, name, type: TYPE, typeVersion: 1, position: [0, 0], parameters: {} },
});
const nodeTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;

/** A workflow as n8n loads it, with its saved static data. */
function loaded(nodes: INode[], saved: IDataObject = {}, id = 'w1') {
	const staticData = JSON.parse(JSON.stringify(saved)) as IDataObject;
	const workflow = new Workflow({ id, nodes, connections: {}, active: true, nodeTypes, staticData });
	const memoryOf = (node: INode, cursor?: IDataObject, members: object = { workflow }) =>
		triggerMemory({
			...members,
			getNode: () => node,
			getWorkflow: () => ({ id }),
			getWorkflowStaticData: (kind: 'global' | 'node') =>
				kind === 'node' && cursor !== undefined ? cursor : workflow.getStaticData(kind, node),
		} as unknown as IPollFunctions);
	const isChanged = () => (workflow.staticData as { __dataChanged?: boolean }).__dataChanged === true;
	return {
		workflow,
		memoryOf,
		isChanged,
		saved: () => JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject,
	};
}

const one = trigger('1');
const written = (value: IDataObject, node = one) => {
	const { memoryOf, saved } = loaded([node]);
	memoryOf(node).write(value);
	return saved();
};

it('gives what was written, after the node was renamed as well', () => {
	expect(loaded([one]).memoryOf(one).read()).toBeUndefined();
	const renamed = trigger('1', 'Ended jobs');
	expect(
		loaded([renamed], written({ a: 1 }))
			.memoryOf(renamed)
			.read(),
	).toEqual({ a: 1 });
});

it('is written only where it has changed, because n8n then saves the workflow', () => {
	const { memoryOf, isChanged } = loaded([one], written({ a: [1] }));
	memoryOf(one).write({ a: [1] });
	expect(isChanged()).toBe(false);
	memoryOf(one).write({ a: [2] });
	expect(isChanged()).toBe(true);
});

it('is none for a copy of the node, and for a copy of the workflow', () => {
	const two = trigger('2');
	expect(
		loaded([one, two], written({ a: 1 }))
			.memoryOf(two)
			.read(),
	).toBeUndefined();
	expect(
		loaded([one], written({ a: 1 }), 'w2')
			.memoryOf(one)
			.read(),
	).toBeUndefined();
});

it('goes with its node, and leaves alone what is not its own', () => {
	const [two, other] = [trigger('2'), trigger('3')];
	const before = written({ a: 1 }) as { global: IDataObject };
	before.global.own = 7;
	const both = loaded([one, two], before);
	both.memoryOf(two).write({ b: 1 });
	expect(both.saved().global).toEqual({ own: 7, [`${TYPE} w1 1`]: { a: 1 }, [`${TYPE} w1 2`]: { b: 1 } });
	const without = loaded([two, other], both.saved());
	// In an n8n version that does not show the nodes, everything is kept.
	without.memoryOf(two, undefined, {}).write({ b: 2 });
	expect(Object.keys(without.saved().global ?? {})).toHaveLength(3);
	without.memoryOf(two).write({ b: 3 });
	expect(without.saved().global).toEqual({ own: 7, [`${TYPE} w1 2`]: { b: 3 } });
	const copy = loaded([two], without.saved(), 'w2');
	copy.memoryOf(two).write({ c: 1 });
	expect(copy.saved().global).toEqual({ own: 7, [`${TYPE} w2 2`]: { c: 1 } });
});

it('with durable cursors is in the data of the node, and goes on with what was written before', () => {
	const cursor: IDataObject = {};
	const { memoryOf, saved } = loaded([one], written({ a: 1 }));
	expect(memoryOf(one, cursor).read()).toEqual({ a: 1 });
	memoryOf(one, cursor).write({ a: 2 });
	expect([memoryOf(one, cursor).read(), Object.values(cursor)]).toEqual([{ a: 2 }, [{ a: 2 }]]);
	expect(saved().global).toEqual({ [`${TYPE} w1 1`]: { a: 1 } });
});

it('n8n saves static data apart from executions unless it is a cursor of the node', () => {
	const { workflow } = loaded([one]);
	const context = (data: IDataObject) =>
		({ getWorkflowStaticData: () => data }) as unknown as IPollFunctions;
	expect(isSavedApart(context(workflow.getStaticData('node', one)))).toBe(true);
	expect(isSavedApart(context({}))).toBe(false);
});
