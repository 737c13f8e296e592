import { type ESTree, type Options, parseScript } from '../../../../vendor/meriyah';

/** Parentheses are kept in the tree, so that the end of an expression is known. */
const PARSER_OPTIONS: Options = { ranges: true, preserveParens: true };

type Expression = ESTree.Expression | ESTree.ParenthesizedExpression;

/** Any node of a syntax tree; its `type` discriminates. */
export type Code = ESTree.Node;

const narrow = (node: Code): Expression => node as Expression;

/** A node without surrounding parentheses and `?.` chain. */
export function unwrapped(node: Code): Expression {
	const inner = narrow(node);
	return inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression'
		? unwrapped(inner.expression)
		: inner;
}

/** The syntax tree of an n8n expression; undefined when it is not a single JavaScript expression. */
export function parseExpression(code: string): Expression | undefined {
	// In parentheses, as `{` would begin a block; with a line break, as the code may end in a comment.
	const source = `(${code}\n)`;
	try {
		const [statement, more] = parseScript(source, PARSER_OPTIONS).body;
		const whole = statement?.type === 'ExpressionStatement' ? narrow(statement.expression) : undefined;
		const isOne = whole?.type === 'ParenthesizedExpression' && whole.end === source.length;
		return isOne && more === undefined ? whole.expression : undefined;
	} catch {
		return undefined;
	}
}

/** Start and end of a node in the parsed code. */
export const rangeOf = ({ start = 1, end = 1 }: Code): [start: number, end: number] => [start - 1, end - 1];

/** The source code of a node. */
export const sliceOf = (code: string, node: Code): string => code.slice(...rangeOf(node));

/** The text of an expression that is a constant string; undefined for anything else. */
export function fixedText(node: Code | undefined): string | undefined {
	const inner = node && unwrapped(node);
	if (inner?.type === 'Literal') return typeof inner.value === 'string' ? inner.value : undefined;
	if (inner?.type !== 'TemplateLiteral' || inner.expressions.length > 0) return undefined;
	return inner.quasis[0]?.value.cooked ?? undefined;
}

/** Code with only properties, indexes and calls in normalised form: `$("Get").first().json["a"][0]`. */
function canonicalCode(node: Code): string | undefined {
	const inner = unwrapped(node);
	if (inner.type === 'Identifier') return inner.name;
	if (inner.type === 'CallExpression') {
		const [callee, ...given] = [inner.callee, ...inner.arguments].map((one, at) =>
			at === 0 ? canonicalCode(one) : constant(one),
		);
		return callee === undefined || given.includes(undefined) ? undefined : `${callee}(${given.join()})`;
	}
	if (inner.type !== 'MemberExpression') return undefined;
	const { object, property, computed } = inner;
	const before = canonicalCode(object);
	const step =
		computed || property.type !== 'Identifier' ? constant(property) : JSON.stringify(property.name);
	return before === undefined || step === undefined ? undefined : `${before}[${step}]`;
}

/** A constant text or number as JSON. */
function constant(node: Code): string | undefined {
	const { type, value } = { value: undefined, ...unwrapped(node) };
	const text = fixedText(node) ?? (type === 'Literal' && typeof value === 'number' ? value : undefined);
	return text === undefined ? undefined : JSON.stringify(text);
}

/** A plain path: an expression that reads one value and does not change it. */
export interface Path {
	/** `$vars` or `$env`, if it reads a variable. */
	variable?: string;
	/** Name of the node that is read; undefined for the node's own input. */
	node?: string;
	fields: ReadonlyArray<string | number>;
}

const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
const ITEM = String.raw`(?:\["item"\]|\["(?:first|last)"\]\([\d,]*\)|\["all"\]\(\)\[\d+\])\["json"\]`;
/** All of n8n's ways to read an item or a variable, before the fields. */
const READS = new RegExp(
	[
		String.raw`^(?:\$json|\$input${ITEM}|items\[\d+\]\["json"\]`,
		String.raw`\$\(${STRING}\)${ITEM}|\$node\[${STRING}\]\["json"\]|\$items\((?:${STRING}[\d,]*)?\)\[\d+\]\["json"\]`,
		String.raw`(\$vars|\$env))((?:\[(?:\d+|${STRING})\])*)$`,
	].join('|'),
);

/** The path that an expression reads; undefined when it is not a plain path. */
export function expressionPath(node: Code | undefined): Path | undefined {
	const match = READS.exec((node && canonicalCode(node)) ?? '');
	if (!match) return undefined;
	const [, byCall, byIndex, byItems, variable, steps = ''] = match;
	const name = byCall ?? byIndex ?? byItems;
	const fields = JSON.parse(`[${steps.slice(1, -1).replaceAll('][', ',')}]`) as Array<string | number>;
	const named = name === undefined ? {} : { node: JSON.parse(name) as string };
	return { ...(variable === undefined ? {} : { variable }), ...named, fields };
}

/** Like {@link expressionPath}, for the text of an expression. */
export const readPath = (code: string): Path | undefined => expressionPath(parseExpression(code));

/** Whether code always returns a number or a constant other than text. */
export function isNumeric(node: Code): boolean {
	const inner = unwrapped(node);
	if (inner.type === 'Literal') return typeof inner.value !== 'string';
	if (inner.type === 'UnaryExpression') return isNumeric(inner.argument);
	return inner.type === 'BinaryExpression' && ['-', '*', '/', '%'].includes(inner.operator);
}
