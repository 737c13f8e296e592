import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';

/** The link of an output item to the input items that asked for it. */
export function pairedTo(items: readonly number[]): IPairedItemData | IPairedItemData[] {
	const [only, ...more] = items;
	return only !== undefined && more.length === 0 ? { item: only } : items.map((item) => ({ item }));
}

/** Collects output items by the input item they belong to, in whatever order they come. */
export class Slots {
	private readonly byItem = new Map<number, INodeExecutionData[]>();

	add(item: number, output: INodeExecutionData): void {
		const slot = this.byItem.get(item);
		if (slot === undefined) this.byItem.set(item, [output]);
		else slot.push(output);
	}

	/** Everything, in the order of the input items. */
	inInputOrder(): INodeExecutionData[] {
		return [...this.byItem.entries()].sort(([a], [b]) => a - b).flatMap(([, outputs]) => outputs);
	}
}
