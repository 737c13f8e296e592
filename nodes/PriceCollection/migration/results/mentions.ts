import type { Findings } from '../json/findings';
import { keepsInput } from '../json/setNode';
import { literal, PROGRAMS, textsWithPaths } from '../json/texts';
import { mentions, targetsOf, type Workflow, type WorkflowNode } from '../json/workflowJson';

/** What a conversion has handled, and what to look for in the other nodes. */
export interface KnownNodes {
	/** The retired address, without scheme. */
	legacy: string;
	/** Nodes that need no check: requests, converted nodes and adapters. */
	consumed: ReadonlySet<WorkflowNode>;
	/** Names of requests whose replies have no adapter: creations, status requests, results as text or file. */
	bare: ReadonlySet<string>;
}

const PATHS_HINT =
	'Write the new address with its path under /v2, add "topic", and replace "source_id" with "id" and "keyword" with "term".';
const PRODUCTS_HINT =
	'Version 2 has "results". Each has source, country, key and value in "query", success and reason as before, and everything else in "content".';

/** Version 1 paths without a host: at the beginning of a text or after a hole. */
const OLD_PATH = /["'`}]\/(?:jobs|products\/bulk|settings\/\w*usage\w*)\b/g;
const PRODUCTS = /\bproducts\b/g;
/** A quick test of whether a node needs a closer look. */
const MENTION = /products|\/jobs|\/settings|autoMapInputData/;

/** Nodes that return, pass on or write whole items, so that new fields become visible outside the workflow. */
const WHOLE_ITEM_TYPES = new Set(
	'respondToWebhook executeWorkflow convertToFile spreadsheetFile'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);

/** Names of the nodes that receive a `bare` request's output, directly or through other nodes. */
function reachedFrom(workflow: Workflow, { bare, consumed }: KnownNodes): Set<string> {
	const byName = new Map(workflow.nodes.map((node) => [node.name, node]));
	const reached = new Set<string>();
	const pending = [...bare];
	for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
		for (const target of targetsOf(workflow, name)) {
			const node = byName.get(target);
			if (!node || reached.has(target) || consumed.has(node)) continue;
			reached.add(target);
			if (node.type !== 'n8n-nodes-base.set' || keepsInput(node)) pending.push(target);
		}
	}
	return reached;
}

/** Warns about the traces of version 1 that remain. */
export function listMentions(workflow: Workflow, known: KnownNodes, findings: Findings): void {
	const anyLegacy = literal(known.legacy);
	const legacy = new RegExp(anyLegacy, 'gi');
	const reached = reachedFrom(workflow, known);
	for (const node of workflow.nodes) {
		const isHandled = known.consumed.has(node) || node.parameters.resource === 'migration';
		if (node.type === 'n8n-nodes-base.stickyNote' || isHandled) continue;
		const json = JSON.stringify(node.parameters);
		const mayMention = MENTION.test(json) || anyLegacy.test(json);
		if (!mayMention && !WHOLE_ITEM_TYPES.has(node.type)) continue;
		const texts = textsWithPaths(node.parameters);
		const isBare = reached.has(node.name) || [...known.bare].some((name) => mentions(json, name));
		for (const { text, path: parameter } of texts) {
			const warnAboutMatches = (pattern: RegExp, message: string, suggestion: string) => {
				for (const { index } of text.matchAll(pattern)) {
					findings.warnings.push({
						node: node.name,
						parameter,
						line: text.slice(0, index).split('\n').length,
						message,
						suggestion,
					});
				}
			};
			warnAboutMatches(
				legacy,
				'The retired address is used here in a way that could not be converted.',
				PATHS_HINT,
			);
			if (PROGRAMS.has(parameter))
				warnAboutMatches(OLD_PATH, 'A path of version 1 is in code.', PATHS_HINT);
			if (isBare)
				warnAboutMatches(
					PRODUCTS,
					'This reads "products", which version 2 does not have here.',
					PRODUCTS_HINT,
				);
		}
		const usesWholeItems =
			WHOLE_ITEM_TYPES.has(node.type) || texts.some(({ text }) => text === 'autoMapInputData');
		if (!usesWholeItems || !reached.has(node.name)) continue;
		findings.warnings.push({
			node: node.name,
			message: 'The node uses whole items, and a version 2 job may have other fields.',
			suggestion: 'Put an Edit Fields node before it that keeps the fields you need.',
		});
	}
}
