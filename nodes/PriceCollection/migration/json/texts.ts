/** A text in a node's parameters, and where it stands: `assignments.assignments[0].value`. */
export interface TextAt {
	text: string;
	path: string;
}

/** All texts of a value, in their order. */
export function textsIn(value: unknown, path = ''): TextAt[] {
	if (typeof value === 'string') return [{ text: value, path }];
	if (Array.isArray(value)) return value.flatMap((one, index) => textsIn(one, `${path}[${index}]`));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) =>
		textsIn(one, path === '' ? name : `${path}.${name}`),
	);
}

/** The parameters that hold whole programs. */
export const PROGRAMS: ReadonlySet<string> = new Set(['jsCode', 'functionCode', 'pythonCode']);

/** Finds any of these texts, in upper or lower case. */
export const literal = (...texts: readonly string[]): RegExp =>
	new RegExp(texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'i');
