import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { parseUrl } from '../service/address';
import { inputError } from './errors';
import { isObject } from '../service/types';

/** Whether a stored parameter, at any depth, holds an expression. */
function holdsExpression(stored: unknown): boolean {
	if (typeof stored === 'string') return stored.startsWith('=');
	if (typeof stored !== 'object' || stored === null) return false;
	return Object.values(stored).some(holdsExpression);
}

/** What dragging a column into a field writes: `={{ $json.gtin }}`, deeper fields included. */
const PLAIN_FIELD = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*)+)\s*\}\}$/;

/** The text or number of a plain field in an item; undefined for anything that n8n has to evaluate. */
function plainValue(stored: unknown, item: () => IDataObject): string | number | undefined {
	const path = typeof stored === 'string' ? PLAIN_FIELD.exec(stored)?.[1] : undefined;
	if (path === undefined) return undefined;
	let value: unknown = item();
	for (const name of path.split('.').slice(1)) {
		if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
		value = value[name];
	}
	return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** More of what is no choice helps nobody. */
const LONGEST_CHOICE = 50;

export type ParameterReader = (name: string, index: number, fallback?: unknown) => unknown;

/**
 * A reader that asks n8n for a parameter once per run where its stored value is the same for all items, and once
 * per item where it holds an expression. As that costs up to a millisecond each, the text or number of a plain
 * field is taken from the item itself, which gives the same.
 */
export function parameterReader(this: IExecuteFunctions): ParameterReader {
	const stored = this.getNode().parameters;
	const fixed = new Map<string, unknown>();
	return (name, index, fallback) => {
		const plain = plainValue(stored[name], () => this.getInputData()[index]?.json ?? {});
		if (plain !== undefined) return plain;
		if (holdsExpression(stored[name])) return this.getNodeParameter(name, index, fallback);
		if (!fixed.has(name)) fixed.set(name, this.getNodeParameter(name, 0, fallback));
		return fixed.get(name);
	};
}

/** The text inside a parameter, a resource locator included. */
export function textOf(parameter: unknown): string {
	const inner: unknown = isObject(parameter) && '__rl' in parameter ? parameter.value : parameter;
	if (typeof inner === 'string') return inner.trim();
	return typeof inner === 'number' || typeof inner === 'bigint' ? String(inner) : '';
}

/** A parameter of the kind collection; empty when it is anything else. */
export function collectionOf(parameter: unknown): IDataObject {
	return isObject(parameter) ? parameter : {};
}

/**
 * What a field with a list of choices says. n8n checks neither what an expression makes of one nor what a workflow was
 * imported with.
 *
 * @param field its label
 * @throws NodeOperationError when it is none of the choices
 */
export function choiceOf<T extends string>(
	node: INode,
	field: string,
	value: unknown,
	choices: readonly T[],
): T {
	const found = choices.find((choice) => choice === value);
	if (found !== undefined) return found;
	const given =
		typeof value === 'string' ? `"${value.slice(0, LONGEST_CHOICE)}"` : 'what its expression gives';
	throw inputError(
		node,
		`${field} cannot be ${given}`,
		`Choose one from the list, or let the expression give one of these: ${choices.join(', ')}. Nothing was sent.`,
	);
}

/** The pairs of a list of names and values, see `parameterList`; those without a name are dropped. */
export function pairsOf(list: unknown): IDataObject {
	const rows = collectionOf(list).parameter;
	const pairs: IDataObject = {};
	for (const row of Array.isArray(rows) ? rows : []) {
		const { name, value } = collectionOf(row);
		if (typeof name === 'string' && name.trim() !== '') pairs[name.trim()] = value;
	}
	return pairs;
}

/** The option Request Timeout in milliseconds; undefined when it is not set. */
export function timeoutMsOf(options: IDataObject): number | undefined {
	const seconds = Number(options.requestTimeout ?? NaN);
	return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** A part of a path as it was meant; one that is not properly encoded as it is. */
function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

/** The job ID inside a text: the text itself, or what follows `/jobs/` when it is the address of a job. */
export function jobIdFrom(text: string): string {
	const path = parseUrl(text)?.pathname ?? (text.startsWith('/') ? text : undefined);
	const inPath = path === undefined ? undefined : /\/jobs\/([^/?#]+)/.exec(path)?.[1];
	if (inPath === undefined) return text;
	return decoded(inPath).replace(/\.(json|xml|csv|xlsx)$/i, '');
}

/** What a user entered, for a text: of an address only where it points, because its query may hold the key. */
function shown(text: string): string {
	const url = parseUrl(text);
	return url === undefined || url.origin === 'null' ? text : url.origin + url.pathname;
}

/**
 * The job an item names.
 *
 * @throws NodeOperationError when it names none. For the error item of the node before, such as a Create whose Settings say
 * Continue, it passes on what went wrong there, the jobs included that its description names
 */
export function readJobId(this: IExecuteFunctions, index: number): string {
	const text = textOf(this.getNodeParameter('jobId', index));
	const jobId = jobIdFrom(text);
	const advice = 'Enter the ID or the address of a job, e.g. {{ $json.job_id }} after Create.';
	if (text === '') {
		const { error, message } = this.getInputData()[index]?.json ?? {};
		const failure = textOf(error);
		if (failure === '') throw inputError(this.getNode(), 'Job is empty', advice, index);
		const said = `Job is empty, because the node before failed: ${failure}`;
		throw inputError(this.getNode(), said, textOf(message) || advice, index);
	}
	// A dot segment would change the path that the request goes to.
	if (jobId === '' || /^\.{1,2}$/.test(jobId) || jobId.includes('://')) {
		throw inputError(this.getNode(), `"${shown(text)}" is not a job ID`, advice, index);
	}
	return jobId;
}
