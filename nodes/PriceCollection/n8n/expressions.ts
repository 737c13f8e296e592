/** Names with the same value for every item of a run. `$` and `$input` depend on what follows them. */
const RUN_WIDE_NAMES: ReadonlySet<string> = new Set([
	...['$now', '$today', '$execution', '$workflow', '$runIndex', '$thisRunIndex', '$prevNode', '$mode'],
	...['$nodeId', '$nodeVersion', '$webhookId', '$env', '$vars', '$secrets', '$items'],
	...['$if', '$ifEmpty', '$min', '$max', '$average', '$not', '$jmespath', '$jmesPath'],
]);

/** Calls such as `$('Node').all(` and `$input.first(`, which do not depend on the item. */
const ITEM_INDEPENDENT_CALL =
	/(?:\$input|\$\(\s*(?:'[^'\\]*'|"[^"\\]*")\s*\))\s*\??\.\s*(?:all|first|last)\s*\(/y;

/** Names through which an expression can read items other than the current one. */
const OTHER_ITEMS = /\$(?:input\b|items?\b|node\b|\s*\()/;

const NAME = /\$[\w$]*/g;

/** Indirect access to these names: an escape in a name, or `this`, the object that holds all of them. */
const INDIRECT_ACCESS = /\\u|\bthis\b/;

/**
 * Whether an expression's value may differ between items. All names that n8n defines begin with a dollar sign. An unknown
 * name counts as item-dependent, even inside a string.
 */
export function mayNameItem(expression: string): boolean {
	if (INDIRECT_ACCESS.test(expression)) return true;
	return [...expression.matchAll(NAME)].some(({ 0: name, index }) => {
		if (RUN_WIDE_NAMES.has(name)) return false;
		// This is a placeholder in a template literal.
		if (name === '$' && expression[index + 1] === '{') return false;
		ITEM_INDEPENDENT_CALL.lastIndex = index;
		return !ITEM_INDEPENDENT_CALL.test(expression);
	});
}

/** Whether an expression depends on its item and on no others, such as `$json.gtins.split(',')`. */
export function namesItemAlone(expression: string): boolean {
	return mayNameItem(expression) && !OTHER_ITEMS.test(expression);
}
