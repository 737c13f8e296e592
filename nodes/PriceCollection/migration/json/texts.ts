/** A text in a node's parameters, and its path: `assignments.assignments[0].value`. */
export interface TextAt {
	text: string;
	path: string;
}

/** All texts in a value with their paths, in order. */
export function textsWithPaths(value: unknown, path = ''): TextAt[] {
	if (typeof value === 'string') return [{ text: value, path }];
	if (Array.isArray(value)) return value.flatMap((one, index) => textsWithPaths(one, `${path}[${index}]`));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) =>
		textsWithPaths(one, path === '' ? name : `${path}.${name}`),
	);
}

/** Names of parameters that contain whole programs. */
export const PROGRAMS: ReadonlySet<string> = new Set(['jsCode', 'functionCode', 'pythonCode']);

/** A pattern that matches any of these texts, ignoring case. */
export const literal = (...texts: readonly string[]): RegExp =>
	new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'i');
