/** Names that n8n gives the same meaning for every item of a run. `$` and `$input` are looked at more closely. */
const OF_THE_RUN: ReadonlySet<string> = new Set([
	...['$now', '$today', '$execution', '$workflow', '$runIndex', '$thisRunIndex', '$prevNode', '$mode'],
	...['$nodeId', '$nodeVersion', '$webhookId', '$env', '$vars', '$secrets', '$items'],
	...['$if', '$ifEmpty', '$min', '$max', '$average', '$not', '$jmespath', '$jmesPath'],
]);

/** `$('Node').all(`, `$input.first(` and the like: they do not depend on the item. */
const OF_ALL_ITEMS = /(?:\$input|\$\(\s*(?:'[^'\\]*'|"[^"\\]*")\s*\))\s*\??\.\s*(?:all|first|last)\s*\(/y;

/** What gives an expression other items than the current one. */
const OTHER_ITEMS = /\$(?:input\b|items?\b|node\b|\s*\()/;

const NAME = /\$[\w$]*/g;

/** Other ways to the same names: escapes in a name, and the object that has them all. */
const DETOUR = /\\u|\bthis\b/;

/**
 * Whether an expression may give another value for another item. Every name that n8n gives a meaning begins with a
 * dollar sign; one that is not known counts, also in a text.
 */
export function mayNameItem(expression: string): boolean {
	if (DETOUR.test(expression)) return true;
	return [...expression.matchAll(NAME)].some(({ 0: name, index }) => {
		if (OF_THE_RUN.has(name)) return false;
		// A placeholder in a template literal.
		if (name === '$' && expression[index + 1] === '{') return false;
		OF_ALL_ITEMS.lastIndex = index;
		return !OF_ALL_ITEMS.test(expression);
	});
}

/** Whether an expression is about its item alone, such as `$json.gtins.split(',')`. */
export function namesItemAlone(expression: string): boolean {
	return mayNameItem(expression) && !OTHER_ITEMS.test(expression);
}
