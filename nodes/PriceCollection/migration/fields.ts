import type { Reference, Segment } from './references';
import type { Shape } from './shapes';

/** What becomes of a place that reads an old field. */
export type Rewriting = { text: string } | { message: string; suggestion: string } | undefined;

const IN_QUERY = new Set(['source', 'country', 'key', 'value']);
/** Fields that stand where they stood, or are version 2 already. */
const UNCHANGED = new Set(['success', 'reason', 'query', 'content', 'metadata']);

/** Turns results into rows as version 1 had them. No `}}` in it: that would end an n8n expression. */
export const AS_PRODUCTS =
	'.map((result) => ({ source: result.query.source, country: result.query.country, key: result.query.key, value: result.query.value, success: result.success, reason: result.reason ?? null, ...result.content }))';

const ROOT_HINT = `Read "results" instead of "products". "results${AS_PRODUCTS}" gives rows as before.`;
const ROW_HINT =
	'Read query.source, query.country, query.key and query.value, success and reason as before, and everything else under content.';

const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join('');

const questionMark = ({ text }: Segment): string => (text.startsWith('?.') ? '?.' : '.');

/** Where a field of a row is now, as a step of a path. */
function fieldStep(segment: Segment): string {
	const { name = '', text } = segment;
	if (UNCHANGED.has(name)) return text;
	const dot = questionMark(segment);
	const step = text.replace(/^\?\./, '');
	if (IN_QUERY.has(name)) return `${dot}query${step.startsWith('[') ? step : `.${name}`}`;
	return `${dot}content?.${step.startsWith('[') ? step : name}`;
}

/** Whether a path leads through the prefix; undefined when it ends before. */
function pastPrefix(segments: readonly Segment[], prefix: readonly string[]): boolean | undefined {
	for (const [index, name] of prefix.entries()) {
		const segment = segments[index];
		if (!segment) return undefined;
		if (segment.name !== name) return false;
	}
	return segments.length > prefix.length ? true : undefined;
}

function rewriteRoot(segments: readonly Segment[], depth: number): string | undefined {
	const [products, index, field, ...rest] = segments.slice(depth);
	if (!products) return undefined;
	const results = `${textOf(segments.slice(0, depth))}${questionMark(products)}results`;
	if (!index) return `${results}${AS_PRODUCTS}`;
	if (index.name === 'length') return `${results}${textOf(segments.slice(depth + 1))}`;
	if (index.name !== undefined) return undefined;
	if (!field) return `${results}${AS_PRODUCTS}${index.text}`;
	return field.name === undefined ? undefined : `${results}${index.text}${fieldStep(field)}${textOf(rest)}`;
}

const old = (kind: Shape['kind'], what: string): Rewriting => ({
	message: what,
	suggestion: kind === 'row' ? ROW_HINT : ROOT_HINT,
});

function rewriteStatus(reference: Reference): Rewriting {
	if (reference.segments[0]?.name !== 'products') return undefined;
	return {
		message: 'Results are read from the status of a job, which has none in version 2.',
		suggestion: 'Download the results in a node of their own, then read "results".',
	};
}

/**
 * Says how a place that reads an item of a shape has to be written now; undefined when it needs no
 * change. A text replaces the path after `.json`.
 */
export function rewriteReference(reference: Reference, shape: Shape): Rewriting {
	if (shape.kind === 'status') return rewriteStatus(reference);
	const { segments } = reference;
	const { kind, prefix, own } = shape;
	const depth = prefix.length;
	const inside = pastPrefix(segments, prefix);
	if (inside === false) return undefined;
	if (inside === undefined) {
		const whole = 'The whole item is read here; its fields have new names or places.';
		return shape.certain ? old(kind, whole) : undefined;
	}
	const name = segments[depth]?.name;
	if (name !== undefined && own.has(name) && depth === 0) return undefined;
	if (kind === 'root' ? name !== 'products' : name !== undefined && UNCHANGED.has(name)) return undefined;
	if (reference.isTarget) return old(kind, 'An old field is written to here.');
	if (!shape.certain) {
		return kind === 'root' ? old(kind, 'An old field may be read here.') : undefined;
	}
	const text =
		kind === 'root'
			? rewriteRoot(segments, depth)
			: segments[depth]?.name === undefined
				? undefined
				: `${textOf(segments.slice(0, depth))}${fieldStep(segments[depth])}${textOf(segments.slice(depth + 1))}`;
	return text === undefined
		? old(kind, 'An old field is read here in a way that is not certain.')
		: { text };
}

/** What to do with lines of code that read old fields, by the shape of what the node gets. */
export const hintFor = (kind: Shape['kind']): string => (kind === 'row' ? ROW_HINT : ROOT_HINT);
