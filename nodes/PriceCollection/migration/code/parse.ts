import { parseExpressionAt } from 'acorn';
import type { Expression, Node, Options } from 'acorn';

/** Brackets stay visible, so that the end of an expression is known. */
const OPTIONS: Options = { ecmaVersion: 'latest', preserveParens: true };

/** Any node of a syntax tree, told apart by its `type`. */
export type Code = Expression | Node;

const narrow = (node: Node): Expression => node as Expression;

/** A node without the brackets and the `?.` chain around it. */
export function bare(node: Code): Expression {
	const inner = narrow(node);
	return inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression'
		? bare(inner.expression)
		: inner;
}

/** The syntax tree of an n8n expression; undefined when it is no single JavaScript expression. */
export function parseExpression(code: string): Expression | undefined {
	try {
		const node = parseExpressionAt(code, 0, OPTIONS);
		return code.slice(node.end).trim() === '' ? node : undefined;
	} catch {
		return undefined;
	}
}

/** The text of an expression that is a fixed string; undefined for anything else. */
export function fixedText(node: Code | undefined): string | undefined {
	const inner = node && bare(node);
	if (inner?.type === 'Literal') return typeof inner.value === 'string' ? inner.value : undefined;
	if (inner?.type !== 'TemplateLiteral' || inner.expressions.length > 0) return undefined;
	return inner.quasis[0]?.value.cooked ?? undefined;
}

/** A step of a chain such as `$('Get').first().json.id`: a property, an index, or a call. */
type Step = string | number | { arguments: readonly Code[] };

/** The name that a chain begins with, and its steps; undefined when something else is in it. */
function chainOf(node: Code): { base: string; steps: Step[] } | undefined {
	const inner = bare(node);
	if (inner.type === 'Identifier') return { base: inner.name, steps: [] };
	if (inner.type === 'CallExpression') {
		const before = chainOf(inner.callee);
		return before && { ...before, steps: [...before.steps, { arguments: inner.arguments }] };
	}
	if (inner.type !== 'MemberExpression') return undefined;
	const before = chainOf(inner.object);
	const { property, computed } = inner;
	const fixed = computed ? fixedText(property) : property.type === 'Identifier' ? property.name : undefined;
	const index =
		property.type === 'Literal' && typeof property.value === 'number' ? property.value : undefined;
	const step = fixed ?? index;
	return before && step !== undefined ? { ...before, steps: [...before.steps, step] } : undefined;
}

/** A plain path: what an expression reads, when it reads one thing and does nothing to it. */
export interface Path {
	/** `$vars` or `$env`, where it reads a variable. */
	variable?: string;
	/** Name of the node that is read; undefined for the node's own input. */
	node?: string;
	fields: ReadonlyArray<string | number>;
}

const isCall = (step: Step | undefined): step is { arguments: readonly Code[] } => typeof step === 'object';

/** Takes `.item.json`, `.first().json`, `.all()[0].json` off; undefined when it is none of them. */
function afterItem([how, second, third, ...rest]: readonly Step[]): readonly Step[] | undefined {
	if (how === 'item')
		return second === 'json' ? [third, ...rest].filter((step) => step !== undefined) : undefined;
	if (!isCall(second)) return undefined;
	if (how === 'first' || how === 'last') return third === 'json' ? rest : undefined;
	return how === 'all' && typeof third === 'number' && rest[0] === 'json' ? rest.slice(1) : undefined;
}

function namedRead(base: string, steps: readonly Step[]): { node?: string; rest?: readonly Step[] } {
	const [first, second, third, ...more] = steps;
	if (base === '$json') return { rest: steps };
	if (base === '$input') return { rest: afterItem(steps) };
	if (base === '$node') {
		return typeof first === 'string'
			? { node: first, rest: second === 'json' ? steps.slice(2) : undefined }
			: {};
	}
	if (base === 'items') {
		return { rest: typeof first === 'number' && second === 'json' ? steps.slice(2) : undefined };
	}
	if ((base !== '$' && base !== '$items') || !isCall(first)) return {};
	const node =
		first.arguments.length === 0 && base === '$items' ? undefined : fixedText(first.arguments[0]);
	if (base === '$') return { node, rest: node === undefined ? undefined : afterItem(steps.slice(1)) };
	return { node, rest: typeof second === 'number' && third === 'json' ? more : undefined };
}

/** What an expression reads, when it is a plain path. */
export function pathOf(node: Code | undefined): Path | undefined {
	const chain = node && chainOf(node);
	if (!chain) return undefined;
	const { base, steps } = chain;
	const variable = base === '$vars' || base === '$env' ? base : undefined;
	const { node: name, rest } = variable === undefined ? namedRead(base, steps) : { rest: steps };
	if (!rest || rest.some(isCall)) return undefined;
	const fields = rest.filter((step): step is string | number => !isCall(step));
	return {
		...(variable === undefined ? {} : { variable }),
		...(name === undefined ? {} : { node: name }),
		fields,
	};
}

/** The same for the text of an expression. */
export const readPath = (code: string): Path | undefined => pathOf(parseExpression(code));

/** Whether a piece of code gives a number or a fixed value, whatever the data. */
export function isNumeric(node: Code): boolean {
	const inner = bare(node);
	if (inner.type === 'Literal') return typeof inner.value !== 'string';
	if (inner.type === 'UnaryExpression') return isNumeric(inner.argument);
	return inner.type === 'BinaryExpression' && ['-', '*', '/', '%'].includes(inner.operator);
}
