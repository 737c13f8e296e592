import { findReferences } from './references';
import { parseTemplate } from './template';
import type { WorkflowNode } from './workflowJson';
import { isRecord } from './workflowJson';

/** Whether a value reads the status of the item, or of the node that asked for it. */
function readsStatus(code: string, statusNode: string): boolean {
	const [reference, more] = findReferences(code);
	if (!reference || more || reference.method !== undefined) return false;
	if (reference.node !== undefined && reference.node !== statusNode) return false;
	if (reference.start !== 0 || reference.end !== code.length) return false;
	return reference.segments.length === 1 && reference.segments[0]?.name === 'status';
}

const codeOf = (value: unknown): string | undefined => {
	const [part, more] = typeof value === 'string' && value.startsWith('=') ? parseTemplate(value) : [];
	return part && !more && 'code' in part ? part.code : undefined;
};

/** One comparison, in one form for all versions of the IF node. */
interface Comparison {
	left: unknown;
	right: unknown;
	/** Whether equality is asked for, or its opposite. */
	equal: boolean;
}

const EQUAL: Readonly<Record<string, boolean>> = {
	equal: true,
	equals: true,
	notEqual: false,
	notEquals: false,
};

function classicComparison(kinds: Record<string, unknown>): Comparison | undefined {
	const all = Object.values(kinds).flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
	const [only, more] = all;
	const equal = EQUAL[String(only?.operation ?? 'equal')];
	if (!only || more || equal === undefined) return undefined;
	return { left: only.value1, right: only.value2 ?? false, equal };
}

function listedComparison(list: unknown[]): Comparison | undefined {
	const [only, more] = list;
	if (!isRecord(only) || more !== undefined || !isRecord(only.operator)) return undefined;
	const { operation } = only.operator;
	if (operation === 'true' || operation === 'false') {
		return { left: only.leftValue, right: true, equal: operation === 'true' };
	}
	const equal = EQUAL[String(operation)];
	return equal === undefined ? undefined : { left: only.leftValue, right: only.rightValue, equal };
}

const INNER = /^([\s\S]+?)\s*(===?|!==?)\s*(['"])finished\3$/;

/**
 * Whether the first output of an IF node gets the finished jobs (true) or the others (false);
 * undefined when the node is no IF or asks for something else.
 */
export function readStatusTest(node: WorkflowNode, statusNode: string): boolean | undefined {
	if (node.type !== 'n8n-nodes-base.if' || !isRecord(node.parameters.conditions)) return undefined;
	const { conditions } = node.parameters.conditions;
	const comparison = Array.isArray(conditions)
		? listedComparison(conditions)
		: classicComparison(node.parameters.conditions);
	const code = codeOf(comparison?.left);
	if (!comparison || code === undefined) return undefined;
	if (comparison.right === 'finished' && readsStatus(code, statusNode)) return comparison.equal;
	const [, left = '', operator = ''] = INNER.exec(code) ?? [];
	if (!readsStatus(left, statusNode)) return undefined;
	const asked = String(comparison.right).replace(/[={}\s]/g, '');
	if (asked !== 'true' && asked !== 'false') return undefined;
	return (operator.startsWith('=') === comparison.equal) === (asked === 'true');
}
