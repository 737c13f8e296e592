import { bare, fixedText, parseExpression, pathOf } from '../code/parse';
import type { Code } from '../code/parse';
import { soleCode } from '../code/template';
import type { WorkflowNode } from '../json/workflowJson';
import { isRecord, within } from '../json/workflowJson';

/** Whether code reads the status of the item, or of the node that asked for it. */
function readsStatus(code: Code | undefined, statusNode: string): boolean {
	const path = pathOf(code);
	if (!path || path.variable !== undefined || (path.node ?? statusNode) !== statusNode) return false;
	return path.fields.length === 1 && path.fields[0] === 'status';
}

/** Whether an operation asks for equality (true) or its opposite (false), in all versions of the IF node. */
const EQUAL: Readonly<Record<string, boolean>> = {
	...{ equal: true, equals: true, true: true },
	...{ notEqual: false, notEquals: false, false: false },
};

/**
 * Whether the first output of an IF node gets the finished jobs (true) or the others (false);
 * undefined when the node is no IF or asks for something else.
 */
export function readStatusTest({ type, parameters }: WorkflowNode, statusNode: string): boolean | undefined {
	const { conditions } = parameters;
	if (type !== 'n8n-nodes-base.if' || !isRecord(conditions)) return undefined;
	const listed = conditions.conditions;
	const [row, more] = (Array.isArray(listed) ? listed : Object.values(conditions).flat()).filter(isRecord);
	const operation = String(within(row, 'operator', 'operation') ?? row?.operation ?? 'equal');
	const equal = EQUAL[operation];
	const code = parseExpression(soleCode(row?.leftValue ?? row?.value1) ?? '');
	if (!row || more || !code || equal === undefined) return undefined;
	const isTruth = operation === 'true' || operation === 'false';
	const right = isTruth ? true : (row.rightValue ?? row.value2 ?? false);
	if (right === 'finished' && readsStatus(code, statusNode)) return equal;
	const inner = bare(code);
	if (inner.type !== 'BinaryExpression' || !/^[=!]==?$/.test(inner.operator)) return undefined;
	if (!readsStatus(inner.left, statusNode) || fixedText(inner.right) !== 'finished') return undefined;
	const asked = String(right).replace(/[={}\s]/g, '');
	if (asked !== 'true' && asked !== 'false') return undefined;
	return (inner.operator.startsWith('=') === equal) === (asked === 'true');
}
