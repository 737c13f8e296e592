import type { IExecuteFunctions, INodeExecutionData, IPairedItemData, ISourceData } from 'n8n-workflow';

/** Links as an item carries them: a single one stands for itself. */
export function linkedTo(links: IPairedItemData[]): IPairedItemData | IPairedItemData[] {
	const [only, ...more] = links;
	return only !== undefined && more.length === 0 ? only : links;
}

/** The link of an output item to the input items that asked for it. */
export function pairedTo(items: readonly number[]): IPairedItemData | IPairedItemData[] {
	return linkedTo(items.map((item) => ({ item })));
}

/** The node whose items are this node's input; absent where n8n does not say, as in tools. */
export function sourceOf(context: IExecuteFunctions): ISourceData | undefined {
	return context.getExecuteData().source?.main?.[0] ?? undefined;
}

/** Collects output items by the input item they belong to, in whatever order they come. */
export class OutputByItem {
	private readonly byItem = new Map<number, INodeExecutionData[]>();

	add(item: number, output: INodeExecutionData): void {
		const outputs = this.byItem.get(item) ?? [];
		outputs.push(output);
		this.byItem.set(item, outputs);
	}

	/** Everything, in the order of the input items. */
	inInputOrder(): INodeExecutionData[] {
		return [...this.byItem.entries()].sort(([a], [b]) => a - b).flatMap(([, outputs]) => outputs);
	}
}
