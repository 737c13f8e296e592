import { type ESTree, type Options, parseScript } from '../../../../vendor/meriyah';

/** Keeps parentheses in the tree, so that we know where the whole expression ends. */
const PARSER_OPTIONS: Options = { ranges: true, preserveParens: true };

type Expression = ESTree.Expression | ESTree.ParenthesizedExpression;

/** Any syntax tree node, discriminated by `type`. */
export type Code = ESTree.Node;

const asExpression = (node: Code): Expression => node as Expression;

/** Strips the parentheses and `?.` chain around a node. */
export function unwrapped(node: Code): Expression {
	const inner = asExpression(node);
	return inner.type === 'ParenthesizedExpression' || inner.type === 'ChainExpression'
		? unwrapped(inner.expression)
		: inner;
}

/** Parses an n8n expression's code; undefined if it is not a single JavaScript expression. */
export function parseExpression(code: string): Expression | undefined {
	// Parentheses, because `{` would otherwise begin a block; a line break, because the code may end in a comment.
	const source = `(${code}\n)`;
	try {
		const [statement, more] = parseScript(source, PARSER_OPTIONS).body;
		const whole =
			statement?.type === 'ExpressionStatement' ? asExpression(statement.expression) : undefined;
		const isSingle = whole?.type === 'ParenthesizedExpression' && whole.end === source.length;
		return isSingle && more === undefined ? whole.expression : undefined;
	} catch {
		return undefined;
	}
}

/** A node's start and end in the original code, without the parenthesis that `parseExpression` adds. */
export const rangeOf = ({ start = 1, end = 1 }: Code): [start: number, end: number] => [start - 1, end - 1];

/** A node's source code. */
export const sliceOf = (code: string, node: Code): string => code.slice(...rangeOf(node));

/** The text of a constant string expression; undefined for any other code. */
export function fixedText(node: Code | undefined): string | undefined {
	const inner = node && unwrapped(node);
	if (inner?.type === 'Literal') return typeof inner.value === 'string' ? inner.value : undefined;
	if (inner?.type !== 'TemplateLiteral' || inner.expressions.length > 0) return undefined;
	return inner.quasis[0]?.value.cooked ?? undefined;
}

/** Normalises properties, indexes and calls: `$("Get")["first"]()["json"]["a"][0]`. Undefined for other code. */
function canonicalCode(node: Code): string | undefined {
	const inner = unwrapped(node);
	if (inner.type === 'Identifier') return inner.name;
	if (inner.type === 'CallExpression') {
		const [calleeText, ...argumentTexts] = [inner.callee, ...inner.arguments].map((one, index) =>
			index === 0 ? canonicalCode(one) : constantJson(one),
		);
		return calleeText === undefined || argumentTexts.includes(undefined)
			? undefined
			: `${calleeText}(${argumentTexts.join()})`;
	}
	if (inner.type !== 'MemberExpression') return undefined;
	const { object, property, computed } = inner;
	const objectText = canonicalCode(object);
	const step =
		computed || property.type !== 'Identifier' ? constantJson(property) : JSON.stringify(property.name);
	return objectText === undefined || step === undefined ? undefined : `${objectText}[${step}]`;
}

/** A constant string or number as JSON; undefined for other code. */
function constantJson(node: Code): string | undefined {
	const { type, value } = { value: undefined, ...unwrapped(node) };
	const text = fixedText(node) ?? (type === 'Literal' && typeof value === 'number' ? value : undefined);
	return text === undefined ? undefined : JSON.stringify(text);
}

/** A plain path: an expression that reads one value and does nothing else with it. */
export interface Path {
	/** `$vars` or `$env`, if it reads a variable. */
	variable?: string;
	/** Name of the node that the path reads; undefined for a variable or the current node's input. */
	node?: string;
	fields: ReadonlyArray<string | number>;
}

const STRING = String.raw`("(?:[^"\\]|\\.)*")`;
const ITEM = String.raw`(?:\["item"\]|\["(?:first|last)"\]\([\d,]*\)|\["all"\]\(\)\[\d+\])\["json"\]`;
/** n8n's usual ways to read an item or a variable, followed by the fields. */
const READS = new RegExp(
	[
		String.raw`^(?:\$json|\$input${ITEM}|items\[\d+\]\["json"\]`,
		String.raw`\$\(${STRING}\)${ITEM}|\$node\[${STRING}\]\["json"\]|\$items\((?:${STRING}[\d,]*)?\)\[\d+\]\["json"\]`,
		String.raw`(\$vars|\$env))((?:\[(?:\d+|${STRING})\])*)$`,
	].join('|'),
);

/** The path that an expression reads; undefined if it is not a plain path. */
export function expressionPath(node: Code | undefined): Path | undefined {
	const match = READS.exec((node && canonicalCode(node)) ?? '');
	if (!match) return undefined;
	const [, byCall, byIndex, byItems, variable, steps = ''] = match;
	const name = byCall ?? byIndex ?? byItems;
	const fields = JSON.parse(`[${steps.slice(1, -1).replaceAll('][', ',')}]`) as Array<string | number>;
	const nodePart = name === undefined ? {} : { node: JSON.parse(name) as string };
	return { ...(variable === undefined ? {} : { variable }), ...nodePart, fields };
}

/** Like {@link expressionPath}, for an expression's code. */
export const readPath = (code: string): Path | undefined => expressionPath(parseExpression(code));

/** Whether code returns a number or another constant that is not a string. */
export function isNumeric(node: Code): boolean {
	const inner = unwrapped(node);
	if (inner.type === 'Literal') return typeof inner.value !== 'string';
	if (inner.type === 'UnaryExpression') return isNumeric(inner.argument);
	return inner.type === 'BinaryExpression' && ['-', '*', '/', '%'].includes(inner.operator);
}
