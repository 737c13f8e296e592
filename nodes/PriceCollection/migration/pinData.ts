import type { Flows, Shape } from './shapes';
import type { Report } from './report';
import type { WorkflowJson } from './workflowJson';
import { isRecord } from './workflowJson';

const QUERY = ['source', 'country', 'key', 'value'] as const;

/** A version 1 product as a version 2 result; anything else comes back as it is. */
export function asResult(product: unknown): unknown {
	if (!isRecord(product) || 'query' in product) return product;
	const { success = true, reason, ...rest } = product;
	const query: Record<string, unknown> = {};
	const content: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(rest)) {
		const isQuery = QUERY.some((known) => known === name);
		(isQuery ? query : content)[name] = value;
	}
	const failed = reason === undefined || reason === null ? {} : { reason };
	return { query, success, ...failed, content: Object.keys(content).length > 0 ? content : null };
}

function convertAt(value: unknown, prefix: readonly string[], convert: (value: unknown) => unknown): unknown {
	const [name, ...rest] = prefix;
	if (name === undefined) return convert(value);
	if (!isRecord(value) || !(name in value)) return value;
	return { ...value, [name]: convertAt(value[name], rest, convert) };
}

function asRoot(value: unknown): unknown {
	if (!isRecord(value) || !Array.isArray(value.products)) return value;
	const { products, ...rest } = value;
	return { ...rest, results: Array.isArray(products) ? products.map(asResult) : products };
}

/** Pinned items hold their data in `json`, or are the data. */
function convertItem(item: unknown, shape: Shape): unknown {
	const convert = (json: unknown) =>
		convertAt(json, shape.prefix, shape.kind === 'root' ? asRoot : asResult);
	return isRecord(item) && isRecord(item.json) ? { ...item, json: convert(item.json) } : convert(item);
}

/** Brings pinned results into the shape that the nodes behind them now read. */
export function convertPinData(workflow: WorkflowJson, flows: Flows, report: Report): void {
	for (const [name, items] of Object.entries(workflow.pinData ?? {})) {
		const shape = flows.output.get(name);
		if (!shape?.certain || shape.kind === 'status' || shape.own.size > 0 || !Array.isArray(items))
			continue;
		const converted = items.map((item) => convertItem(item, shape));
		if (JSON.stringify(converted) === JSON.stringify(items)) continue;
		workflow.pinData = { ...workflow.pinData, [name]: converted };
		report.changes.push({ node: name, message: 'The pinned data has the shape of version 2 now.' });
	}
}

/** Pinned version 1 downloads as the rows that a node with the output "results" gives. */
export function pinnedRows(items: unknown): unknown {
	if (!Array.isArray(items)) return items;
	return items.flatMap((item): unknown[] => {
		const json = isRecord(item) && isRecord(item.json) ? item.json : item;
		if (!isRecord(json) || !Array.isArray(json.products)) return [item];
		return json.products.map((product: unknown) => (json === item ? product : { json: product }));
	});
}
