import { bare, fixedText, parseExpression, pathOf } from '../code/parse';
import type { Code } from '../code/parse';
import { soleCode } from '../code/template';
import type { WorkflowNode } from '../json/workflowJson';
import { isRecord } from '../json/workflowJson';

/** Whether code reads the status of the item, or of the node that asked for it. */
function readsStatus(code: Code | undefined, statusNode: string): boolean {
	const path = pathOf(code);
	if (!path || path.variable !== undefined || (path.node ?? statusNode) !== statusNode) return false;
	return path.fields.length === 1 && path.fields[0] === 'status';
}

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

/** The operators of JavaScript that ask for equality or its opposite. */
const EQUALITY = /^[=!]==?$/;

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
	const code = parseExpression(soleCode(comparison?.left) ?? '');
	if (!comparison || !code) return undefined;
	if (comparison.right === 'finished' && readsStatus(code, statusNode)) return comparison.equal;
	const inner = bare(code);
	if (inner.type !== 'BinaryExpression' || !EQUALITY.test(inner.operator)) return undefined;
	if (!readsStatus(inner.left, statusNode) || fixedText(inner.right) !== 'finished') return undefined;
	const asked = String(comparison.right).replace(/[={}\s]/g, '');
	if (asked !== 'true' && asked !== 'false') return undefined;
	return (inner.operator.startsWith('=') === comparison.equal) === (asked === 'true');
}
