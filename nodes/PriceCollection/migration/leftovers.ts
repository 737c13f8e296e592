import { hintFor } from './fields';
import type { Report } from './report';
import { lineAt } from './report';
import type { Flows, Shape } from './shapes';
import { isSplitOut } from './shapes';
import { isExpression } from './template';
import { mapTexts } from './texts';
import type { WorkflowNode } from './workflowJson';

/** Parameters of n8n's own nodes that hold names of fields. */
const FIELD_NAMES =
	/(^|\.)(fieldName|field|fieldToAggregate|fieldsToCompare|fieldsToInclude|fieldsToExclude|fieldsToSplitBy|fieldsToSummarize|currentKey|includeFields|excludeFields|dataPropertyName)(\[|$)/;

/** Nodes that hand whole items on, so that the shape of the item is what others see. */
const WHOLE = new Set(
	'respondToWebhook executeWorkflow convertToFile spreadsheetFile aggregate html xml itemLists renameKeys compareDatasets'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);

const names = (text: string): string[] => text.split(',').map((name) => name.trim());

function namesOldField(text: string, path: string, shape: Shape): boolean {
	if (isExpression(text)) return false;
	const old = [...shape.prefix, 'products'].join('.');
	if (shape.kind === 'root') return names(text).some((name) => name === old || name.startsWith(`${old}.`));
	return shape.kind === 'row' && FIELD_NAMES.test(path) && text !== '';
}

/** Lists parameters that name old fields as plain text, and nodes that take whole items. */
export function listLeftovers(nodes: readonly WorkflowNode[], flows: Flows, report: Report): void {
	const starts = nodes.some(({ type }) => type === 'n8n-nodes-base.executeWorkflowTrigger');
	for (const node of nodes) {
		const shape = flows.input.get(node.name);
		if (!shape || shape.kind === 'status' || node.disabled === true || isSplitOut(node)) continue;
		const about = { node: node.name, suggestion: hintFor(shape.kind) };
		let maps = false;
		mapTexts(node.parameters, (text, path) => {
			if (text === 'autoMapInputData') maps = true;
			if (namesOldField(text, path.toString(), shape)) {
				const message = `The field "${text}" has a new name or place.`;
				report.warnings.push({ ...about, parameter: path.toString(), message });
			}
			return text;
		});
		if (maps || WHOLE.has(node.type)) {
			report.warnings.push({
				...about,
				message: 'The node takes whole items, whose fields have new names or places.',
			});
		}
	}
	if (starts && flows.output.size > 0) {
		report.warnings.push({
			message: 'Other workflows may call this one: what it gives back may have new names or places.',
			suggestion: 'Check the workflows that read its results.',
		});
	}
}

/** Lists texts that still name the retired address, with the line. */
export function listOldAddresses(nodes: readonly WorkflowNode[], legacy: string, report: Report): void {
	const anywhere = new RegExp(legacy.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g');
	for (const node of nodes) {
		if (node.type === 'n8n-nodes-base.stickyNote' || node.parameters.resource === 'migration') continue;
		mapTexts(node.parameters, (text, path) => {
			for (const { index } of text.toLowerCase().matchAll(anywhere)) {
				report.warnings.push({
					node: node.name,
					parameter: path.toString(),
					line: lineAt(text, index),
					message: 'The retired address stands here in a way that was not understood.',
					suggestion: 'Write the new address with its path under /v2.',
				});
			}
			return text;
		});
	}
}
