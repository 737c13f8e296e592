import type { IDataObject } from 'n8n-workflow';

import { hintFor } from './fields';
import type { Report } from './report';
import type { Flows, Shape } from './shapes';
import { isSplitOut, splitField, splitsPlainly } from './shapes';
import type { WorkflowNode } from './workflowJson';
import { isRecord } from './workflowJson';

/** Lists of texts or numbers: they keep their name only when it is asked for. */
const LISTS_OF_VALUES = new Set(['gtins', 'eans', 'mpns', 'feature_bullets', 'flags']);

const setDestination = (node: WorkflowNode, name: string): void => {
	const { options } = node.parameters;
	node.parameters.options = {
		...(isRecord(options) ? (options as IDataObject) : {}),
		destinationFieldName: name,
	};
};

const rename = (node: WorkflowNode, to: string, report: Report): void => {
	const from = String(node.parameters.fieldToSplitOut);
	node.parameters.fieldToSplitOut = to;
	const message = `"${to}" is split out instead of "${from}".`;
	report.changes.push({ node: node.name, parameter: 'fieldToSplitOut', message });
};

function splitRoot(node: WorkflowNode, field: string, report: Report): void {
	const { options } = node.parameters;
	const named = isRecord(options) && options.destinationFieldName;
	if (!splitsPlainly(node) && !named) setDestination(node, field);
	rename(node, field.replace(/products$/, 'results'), report);
}

function splitRow(node: WorkflowNode, field: string, shape: Shape, report: Report): boolean {
	const { options } = node.parameters;
	const before = shape.prefix.map((name) => `${name}.`).join('');
	if (!splitsPlainly(node) || !field.startsWith(before)) return false;
	if (isRecord(options) && options.disableDotNotation === true) return false;
	const name = field.slice(before.length);
	if (shape.own.has(name) || name.startsWith('content.')) return true;
	if (LISTS_OF_VALUES.has(name)) setDestination(node, field);
	rename(node, `${before}content.${name}`, report);
	return true;
}

/** Lets Split Out nodes (and Item Lists that split) take the fields from where they are now. */
export function updateSplits(nodes: readonly WorkflowNode[], flows: Flows, report: Report): void {
	for (const node of nodes) {
		const shape = flows.input.get(node.name);
		if (!shape || shape.kind === 'status' || !isSplitOut(node) || node.disabled === true) continue;
		const field = splitField(node);
		const isProducts = field === [...shape.prefix, 'products'].join('.');
		if (shape.kind === 'root' && field !== undefined && !isProducts) continue;
		if (field !== undefined && shape.certain && shape.kind === 'root') {
			splitRoot(node, field, report);
		} else if (field === undefined || !shape.certain || !splitRow(node, field, shape, report)) {
			report.warnings.push({
				node: node.name,
				parameter: 'fieldToSplitOut',
				message: 'The fields to split out may have new names or places.',
				suggestion: hintFor(shape.kind),
			});
		}
	}
}
