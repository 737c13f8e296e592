import type { Findings } from '../json/findings';
import { keepsInput } from '../json/setNode';
import { literal, PROGRAMS, textsWithPaths } from '../json/texts';
import { mentions, targetsOf, type Workflow, type WorkflowNode } from '../json/workflowJson';

/** What a conversion has handled, and what it looks for in the rest. */
export interface KnownNodes {
	/** The retired address, without scheme. */
	legacy: string;
	/** Nodes that need no check: requests, converted nodes and adapters. */
	consumed: ReadonlySet<WorkflowNode>;
	/** Requests whose replies have no adapter: creations, status requests, results as text or file. */
	bare: ReadonlySet<string>;
}

const PATHS_HINT =
	'Write the new address with its path under /v2, "topic", and "id" and "term" for "source_id" and "keyword".';
const PRODUCTS_HINT =
	'Version 2 has "results": source, country, key and value of each under "query", success and reason as before, everything else under "content".';

/** Paths of version 1 without a host: at the beginning of a text or after a hole. */
const OLD_PATH = /["'`}]\/(?:jobs|products\/bulk|settings\/\w*usage\w*)\b/g;
const PRODUCTS = /\bproducts\b/g;
/** Text that a node needs to be worth a closer look. */
const MENTION = /products|\/jobs|\/settings|autoMapInputData/;

/** Nodes that pass on or write whole items, so that new fields become visible outside. */
const WHOLE = new Set(
	'respondToWebhook executeWorkflow convertToFile spreadsheetFile'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);

/** Nodes that receive the output of these nodes, directly or through others. */
function reachedFrom(workflow: Workflow, { bare, consumed }: KnownNodes): Set<string> {
	const byName = new Map(workflow.nodes.map((node) => [node.name, node]));
	const reached = new Set<string>();
	const open = [...bare];
	for (let name = open.pop(); name !== undefined; name = open.pop()) {
		for (const target of targetsOf(workflow, name)) {
			const node = byName.get(target);
			if (!node || reached.has(target) || consumed.has(node)) continue;
			reached.add(target);
			if (node.type !== 'n8n-nodes-base.set' || keepsInput(node)) open.push(target);
		}
	}
	return reached;
}

/** Warns about every remaining trace of version 1, so that none goes unnoticed. */
export function listMentions(workflow: Workflow, known: KnownNodes, findings: Findings): void {
	const anyLegacy = literal(known.legacy);
	const legacy = new RegExp(anyLegacy, 'gi');
	const reached = reachedFrom(workflow, known);
	for (const node of workflow.nodes) {
		const isOurs = known.consumed.has(node) || node.parameters.resource === 'migration';
		if (node.type === 'n8n-nodes-base.stickyNote' || isOurs) continue;
		const json = JSON.stringify(node.parameters);
		const isTelling = MENTION.test(json) || anyLegacy.test(json);
		if (!isTelling && !WHOLE.has(node.type)) continue;
		const texts = textsWithPaths(node.parameters);
		const isBare = reached.has(node.name) || [...known.bare].some((name) => mentions(json, name));
		for (const { text, path: parameter } of texts) {
			const list = (what: RegExp, message: string, suggestion: string) => {
				for (const { index } of text.matchAll(what)) {
					findings.warnings.push({
						node: node.name,
						parameter,
						line: text.slice(0, index).split('\n').length,
						message,
						suggestion,
					});
				}
			};
			list(legacy, 'The retired address is used here in a way that was not understood.', PATHS_HINT);
			if (PROGRAMS.has(parameter)) list(OLD_PATH, 'A path of version 1 is in code.', PATHS_HINT);
			if (isBare) list(PRODUCTS, '"products" is read, but version 2 has none here.', PRODUCTS_HINT);
		}
		const takesWhole = WHOLE.has(node.type) || texts.some(({ text }) => text === 'autoMapInputData');
		if (!takesWhole || !reached.has(node.name)) continue;
		findings.warnings.push({
			node: node.name,
			message: 'The node uses whole items, and a job of version 2 may have other fields.',
			suggestion: 'Put an Edit Fields node in front that keeps the fields you need.',
		});
	}
}
