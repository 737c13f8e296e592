import type { INodeParameters } from 'n8n-workflow';

import { beside, collectingInLoop, itemsOf, useCollecting } from './collecting';
import { useDedupeStore } from './dedupeStore';
import { nodeType } from './harness';
import { node } from './workflow';

useDedupeStore();
const { sandbox, play, creations } = useCollecting({ webhookDelayMs: 2 ** 30 });

const IF = nodeType(
	'if',
	async function () {
		const items = this.getInputData().map((item, index) => ({ ...item, pairedItem: index }));
		const isFirst = ({ json }: (typeof items)[number]) => json.term === 'kettle';
		return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
	},
	{ outputs: ['main', 'main'] },
);

/** An IF whose outputs lead to the node, which n8n therefore queues twice. */
const twice = (parameters: INodeParameters) =>
	beside(
		collectingInLoop(sandbox, itemsOf('kettle', 'mug', 'pan'), parameters),
		[node('If', 'if')],
		{ Items: ['If'], If: ['Prices', 'Prices'] },
		{ if: IF },
	);

it.each(['poll', 'durable', 'webhook'])(
	'a node that n8n queues twice looks up the items of both: %s',
	async (waitMode) => {
		sandbox.setOptions({ jobDurationMs: 600_000 });
		const begun = await play(twice({ waitMode, waitOptions: { maxWait: 30 } }));
		const over = await begun.throughTimers();
		expect(over.rows.sort()).toEqual(['a kettle true', 'b mug true', 'c pan true']);
		expect([over.running, creations()]).toEqual([[], 2]);
	},
);
