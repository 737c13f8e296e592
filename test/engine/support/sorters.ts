import type { INodeExecutionData, INodeType, IPairedItemData, ISourceData } from 'n8n-workflow';

import { nodeType } from './harness';
import { IDS } from './wirings';

interface Loop {
	left: INodeExecutionData[];
	back: INodeExecutionData[];
	source: ISourceData;
}

const isFirst = ({ json }: INodeExecutionData) => json.id === 'a';

/** n8n's If, Switch, Merge and Loop Over Items, as far as the wirings use them. */
export const SORTERS: Record<string, INodeType> = {
	'n8n-nodes-base.if': nodeType(
		'if',
		async function () {
			const given = this.getInputData().map((item, index) => ({ ...item, pairedItem: index }));
			return [given.filter(isFirst), given.filter((item) => !isFirst(item))];
		},
		{ outputs: ['main', 'main'] },
	),
	'n8n-nodes-base.switch': nodeType(
		'switch',
		async function () {
			const given = this.getInputData().map((item, index) => ({ ...item, pairedItem: index }));
			const isAt = (output: number) => (item: INodeExecutionData) =>
				Math.min(2, IDS.indexOf(String(item.json.id))) === output;
			return [0, 1, 2].map((output) => given.filter(isAt(output)));
		},
		{ outputs: ['main', 'main', 'main'] },
	),
	'n8n-nodes-base.merge': nodeType(
		'merge',
		async function () {
			const inputs = [0, 1].map((input) => this.getInputData(input));
			return [
				inputs.flatMap((given, input) =>
					given.map((item, index) => ({ ...item, pairedItem: { item: index, input } })),
				),
			];
		},
		{ inputs: ['main', 'main'], requiredInputs: 1 },
	),
	'n8n-nodes-base.splitInBatches': nodeType(
		'splitInBatches',
		async function () {
			const kept = this.getContext('node') as unknown as Loop;
			const given = this.getInputData();
			const sourceOverwrite = this.getInputSourceData();
			if (kept.left === undefined)
				Object.assign(kept, { source: sourceOverwrite, left: [...given], back: [] });
			else
				kept.back.push(
					...given.map(({ json }, item) => ({ json, pairedItem: { item, sourceOverwrite } })),
				);
			const next = kept.left.splice(0, 2).map(({ json, pairedItem }) => ({
				json,
				pairedItem: { ...(pairedItem as IPairedItemData), sourceOverwrite: kept.source },
			}));
			return next.length === 0 ? [kept.back, []] : [[], next];
		},
		{ outputs: ['main', 'main'] },
	),
};
