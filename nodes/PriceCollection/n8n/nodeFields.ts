import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { decodedPart, parseUrl } from '../service/address';
import { DOWNLOAD_FORMATS } from '../service/formats';
import { operationError, type NodeError } from './errors';
import { mayNameItem, namesItemAlone } from './expressions';
import { isObject } from '../service/types';

/** Passed instead of an item index to read a field once for the whole run. */
export const RUN = -1;

/** Whether a stored parameter contains an expression, at any depth. */
function holdsExpression(stored: unknown): boolean {
	if (typeof stored === 'string') return stored.startsWith('=');
	if (typeof stored !== 'object' || stored === null) return false;
	return Object.values(stored).some(holdsExpression);
}

/** Returns an item's value, but takes the parts whose expressions are the same for all items from `shared`. */
function withShared(
	stored: unknown,
	shared: unknown,
	itemValue: unknown,
	isShared: (text: string) => boolean,
): unknown {
	if (typeof stored === 'string') return isShared(stored) ? shared : itemValue;
	if (Array.isArray(stored) && Array.isArray(shared) && Array.isArray(itemValue))
		return itemValue.map((one: unknown, index) =>
			withShared(stored[index], shared[index], one, isShared),
		);
	if (!isObject(stored) || !isObject(shared) || !isObject(itemValue)) return itemValue;
	const entries = Object.entries(itemValue).map(([name, one]) => {
		return [name, withShared(stored[name], shared[name], one, isShared)];
	});
	return Object.fromEntries(entries) as IDataObject;
}

/** Returns the value at a path of names; undefined if a name is missing. */
function within(value: unknown, names: readonly string[]): unknown {
	return names.reduce<unknown>(
		(inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
		value,
	);
}

/** The expression that n8n writes when a column is dragged in: `={{ $json.gtin }}`, also with nested fields. */
const PLAIN_FIELD = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*)+)\s*\}\}$/;

/** Returns a field's plain value: unwraps resource locators and lists with one element. */
function plainValue(parameter: unknown): unknown {
	const inner: unknown = isObject(parameter) && '__rl' in parameter ? parameter.value : parameter;
	return Array.isArray(inner) && inner.length === 1 ? (inner[0] as unknown) : inner;
}

const isEmpty = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Labels that cannot be derived from the parameter name. */
const LABELS: Readonly<Record<string, string>> = {
	condition: 'Requested Condition',
	fields: 'Columns to Keep',
	jobId: 'Job',
	lookupKey: 'Look Up By',
	maxCredits: 'Spending Limit',
	onDeadline: 'If Not Finished in Time',
	onFailedResult: 'If a Lookup Fails',
	onStop: 'If I Stop the Run',
	shipping: 'Requested Shipping',
	timeout: 'Job Timeout',
	validateValues: 'Check GTINs',
	webhookUrl: 'Webhook URL',
};

/** Returns a parameter's label in the editor: `Max Pages` for `options.maxPages`. */
function fieldLabel(path: string): string {
	const name = path.slice(path.lastIndexOf('.') + 1);
	const words = name.replace(/[A-Z]/g, (letter) => ` ${letter}`);
	return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const LONGEST_SHOWN = 50;

function shown(value: unknown): string {
	const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
	return text.slice(0, LONGEST_SHOWN);
}

/** n8n contexts with parameters. Triggers have no input items. */
type ParameterSource = Pick<IExecuteFunctions, 'getNode' | 'getNodeParameter'> &
	Partial<Pick<IExecuteFunctions, 'evaluateExpression' | 'getInputData'>>;

function textOf(value: unknown): string | undefined {
	const isText = typeof value === 'string' || typeof value === 'bigint' || Number.isFinite(value);
	return isText ? String(value) : undefined;
}

const UNDEFINED = 'undefined';

const FLAGS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

function flagIn(value: unknown): boolean | undefined {
	return typeof value === 'object' ? undefined : FLAGS.get(String(value).trim().toLowerCase());
}

/**
 * Reads the parameters of jobs, usage and triggers. A field accepts any value with one clear meaning, and uses its
 * default if an expression returns nothing. Any other value is an error that names the field and the item. A field is
 * read per item, or with {@link RUN} once for the run; then its expression must have the same value for all items.
 * An expression that does not depend on the item, such as `$now`, is evaluated once, so that items do not differ.
 * Paths are n8n's: `topic`, `options.maxPages`.
 */
export class NodeFields {
	/** The node's parameters as stored. Kept here because n8n copies the node on each `getNode()`. */
	readonly stored: IDataObject;
	/** Values of fields without an expression, by path. */
	private readonly fixed = new Map<string, unknown>();
	/** Values of expressions that were read once for the run, by path. */
	private readonly runValues = new Map<string, unknown>();
	/** A field's value for the first item whose evaluation succeeded, by path. */
	private readonly firstValues = new Map<string, unknown>();
	/** Whether an expression has the same value for all items, by its text. */
	private readonly shared = new Map<string, boolean>();

	constructor(private readonly context: ParameterSource) {
		this.stored = context.getNode().parameters;
	}

	/**
	 * Returns a field's value as n8n provides it.
	 *
	 * @param meaningOf with {@link RUN}, values with the same meaning count as the same for all items: 10 and "10"
	 * @throws any error from the expression
	 * @throws NodeOperationError if a value for the run differs between items
	 */
	value(path: string, item: number, meaningOf: (value: unknown) => unknown = (value) => value): unknown {
		const known = item === RUN && this.runValues.has(path) ? this.runValues : this.fixed;
		if (known.has(path)) return known.get(path);
		const [name = '', ...inner] = path.split('.');
		const root = this.stored[name];
		// An expression can return a whole collection.
		const isWhole = typeof root === 'string';
		const stored = isWhole ? root : within(root, inner);
		const evaluate = (index: number) =>
			isWhole
				? within(this.context.getNodeParameter(name, index, undefined), inner)
				: this.context.getNodeParameter(path, index, undefined);
		const valueAt = (index: number) =>
			this.itemField(stored, index) ?? this.atItem(path, stored, index, evaluate);
		const isFixed = !holdsExpression(stored);
		if (!isFixed && item !== RUN) return valueAt(item);
		const value =
			stored === undefined ? undefined : isFixed ? valueAt(0) : this.forAll(path, valueAt, meaningOf);
		(isFixed ? this.fixed : this.runValues).set(path, value);
		return value;
	}

	/** Reads a plain field directly from the item, because an evaluation takes n8n up to a millisecond. */
	private itemField(stored: unknown, item: number): number | string | undefined {
		const field = typeof stored === 'string' ? PLAIN_FIELD.exec(stored)?.[1] : undefined;
		const found = field && within(this.context.getInputData?.()[item]?.json, field.split('.').slice(1));
		return typeof found === 'string' || typeof found === 'number' ? found : undefined;
	}

	/** Returns a field's value for an item. Expressions that are the same for all items keep the first item's value. */
	private atItem(
		path: string,
		stored: unknown,
		item: number,
		evaluate: (item: number) => unknown,
	): unknown {
		const isShared = (text: string) => {
			const known = this.shared.get(text) ?? (text.startsWith('=') && !mayNameItem(text));
			this.shared.set(text, known);
			return known;
		};
		if (typeof stored === 'string' && this.firstValues.has(path) && isShared(stored))
			return this.firstValues.get(path);
		const value = evaluate(item);
		if (!this.firstValues.has(path)) this.firstValues.set(path, value);
		return withShared(stored, this.firstValues.get(path), value, isShared);
	}

	/**
	 * Returns an expression's common value for all items. An item whose evaluation fails is skipped: it gets that error when
	 * it is read by itself.
	 *
	 * @throws NodeOperationError if the values differ
	 * @throws the first error if evaluation fails for every item
	 */
	private forAll(
		path: string,
		valueAt: (item: number) => unknown,
		meaningOf: (value: unknown) => unknown,
	): unknown {
		let first: { value: unknown; meaning: string } | undefined;
		let failure: unknown;
		for (const item of this.context.getInputData?.().keys() ?? [0]) {
			let value: unknown;
			try {
				value = valueAt(item);
			} catch (thrown) {
				failure ??= thrown;
				continue;
			}
			if (first !== undefined && value === first.value) continue;
			const plain = plainValue(value);
			const meaning = JSON.stringify(isEmpty(plain) ? '' : (meaningOf(plain) ?? plain));
			first ??= { value, meaning };
			if (meaning === first.meaning) continue;
			const difference = `its expression gives ${shown(first.value)} and ${shown(value)}`;
			const advice = 'Nothing was sent. Use a fixed value, or run the node once for each value.';
			const message = `${fieldLabel(path)} must be the same for all items, but ${difference}`;
			throw this.refusal(item, message, `It is read once for the whole run. ${advice}`);
		}
		if (first === undefined && failure !== undefined) throw failure;
		return first?.value;
	}

	/** Returns the meaning of a field's value; undefined if it is empty. */
	private meaning<T>(
		path: string,
		item: number,
		expected: string,
		meaningOf: (value: unknown) => T | undefined,
	): T | undefined {
		const value = plainValue(this.value(path, item, meaningOf));
		if (isEmpty(value)) return undefined;
		const meaning = meaningOf(value);
		if (meaning === undefined) throw this.wrong(path, item, value, expected);
		return meaning;
	}

	/** Returns a trimmed text, or a number as text. */
	text(path: string, item: number, fallback = ''): string {
		return this.meaning(path, item, 'a text', textOf)?.trim() ?? fallback;
	}

	/** Whether a field's value was chosen from the service's list. */
	isListed(name: string): boolean {
		const stored = this.stored[name];
		return isObject(stored) && stored.mode === 'list';
	}

	/** Whether a field's value was typed: neither chosen from a list nor returned by an expression. */
	isTyped(name: string): boolean {
		return !this.isListed(name) && !holdsExpression(this.stored[name]);
	}

	/** Returns the value in a field of an input item. */
	ofInput(item: number, name: string): unknown {
		return within(this.context.getInputData?.()[item]?.json, [name]);
	}

	/** Whether a field is an expression that depends on its item and on no others. */
	isOfItem(name: string): boolean {
		const stored = this.stored[name];
		return typeof stored === 'string' && stored.startsWith('=') && namesItemAlone(stored);
	}

	/**
	 * Returns the first `{{ … }}` in a field that is undefined for every item, for example after a heading was renamed.
	 * An expression that fails for an item does not count, because the failure is that item's error.
	 */
	undefinedExpression(name: string): string | undefined {
		const stored = this.stored[name];
		if (typeof stored !== 'string' || !stored.startsWith('=')) return undefined;
		const items = [...(this.context.getInputData?.() ?? []).keys()];
		const parts = stored
			.split('{{')
			.slice(1)
			.map((part) => `{{${part.split('}}', 1)[0]}}}`);
		return items.length === 0
			? undefined
			: parts.find((part) => items.every((item) => this.isUndefined(part, item)));
	}

	private isUndefined(expression: string, item: number): boolean {
		const isKnown = this.itemField(`=${expression}`, item) !== undefined;
		if (isKnown || this.context.evaluateExpression === undefined) return false;
		try {
			const value = this.context.evaluateExpression(expression, item);
			const values: unknown[] = [value].flat(Infinity);
			// Missing values also come as the text "undefined", unless a cell contains exactly that text.
			const cells = Object.values(this.context.getInputData?.()[item]?.json ?? {});
			const missing: unknown[] = cells.includes(UNDEFINED) ? [undefined] : [undefined, UNDEFINED];
			return values.length > 0 && values.every((one) => missing.includes(one));
		} catch {
			return false;
		}
	}

	/** Whether a field's value is the same for all items. */
	isSameForAll(name: string): boolean {
		const stored = this.stored[name];
		return !holdsExpression(stored) || (typeof stored === 'string' && !mayNameItem(stored));
	}

	flag(path: string, item: number, fallback: boolean): boolean {
		return this.meaning(path, item, 'true or false', flagIn) ?? fallback;
	}

	/** Returns a number from `least` to `most`; undefined if the field is empty. */
	number(path: string, item: number, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
		const bound = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
		return this.meaning(path, item, `a number ${bound}`, (value) => {
			const number = typeof value === 'string' ? Number(value) : value;
			return typeof number === 'number' && number >= least && number <= most ? number : undefined;
		});
	}

	/** Returns a limit; Infinity for 0 or if the field is absent. An empty field is an error: it must not lift the limit. */
	limit(path: string): number {
		if (within(this.stored, path.split('.')) === undefined) return Infinity;
		const limit = this.number(path, RUN, 0);
		if (limit === undefined) throw this.wrong(path, RUN, this.value(path, RUN) ?? null, 'a number');
		return limit === 0 ? Infinity : limit;
	}

	/** Returns one of the choices of a list. n8n checks neither the values of expressions nor imported workflows. */
	choice<T extends string>(path: string, item: number, choices: readonly T[], fallback: T): T {
		const expected = `one of these: ${choices.join(', ')}`;
		const chosen = (value: unknown) => choices.find((choice) => choice === value);
		return this.meaning(path, item, expected, chosen) ?? fallback;
	}

	/** Returns the distinct texts in a text or a nested list. With a separator, splits each text and trims the parts. */
	texts(path: string, item: number, separator?: RegExp): string[] {
		const meaningOf = (input: unknown) => {
			const values = [input].flat(Infinity).filter((value) => !isEmpty(value));
			const parts = values.flatMap((value) => {
				const text = textOf(value);
				if (text === undefined) throw this.wrong(path, item, value, 'a list of texts');
				return separator === undefined ? [text] : text.split(separator).map((part) => part.trim());
			});
			return [...new Set(parts.filter((part) => part !== ''))];
		};
		return meaningOf(this.value(path, item, (input) => meaningOf(input).join('\n')));
	}

	/** Returns a list of names and values (see `parameterList`) as an object. Drops incomplete pairs. */
	pairs(path: string, item: number): IDataObject {
		const rows = within(this.value(path, item), ['parameter']);
		const pairs: IDataObject = {};
		for (const row of Array.isArray(rows) ? rows.filter(isObject) : []) {
			const { name, value } = row;
			if (typeof name === 'string' && name.trim() !== '' && value !== null) pairs[name.trim()] = value;
		}
		return pairs;
	}

	/** Returns the option Request Timeout in milliseconds; undefined if not set or 0. */
	timeoutMs(item = RUN): number | undefined {
		const seconds = this.number('options.requestTimeout', item, 0, 86_400);
		return seconds === undefined || seconds === 0 ? undefined : seconds * 1000;
	}

	/**
	 * Returns an item's job ID.
	 *
	 * @throws NodeOperationError if there is none; it repeats the error if the previous node failed for this item
	 */
	jobId(item: number): string {
		const text = this.text('jobId', item);
		const jobId = jobIdFrom(text);
		const advice = 'Enter the ID or the address of a job, e.g. {{ $json.job_id }} after Create.';
		if (text === '') {
			const { error = '', message } = this.context.getInputData?.()[item]?.json ?? {};
			const why =
				typeof error === 'string' && error ? `, because the node before failed: ${error}` : '';
			const earlierAdvice = typeof message === 'string' && why !== '' ? message : '';
			throw this.refusal(item, `Job is empty${why}`, earlierAdvice || advice);
		}
		// A dot segment would change the path of the request.
		if (jobId === '' || /^\.{1,2}$/.test(jobId) || jobId.includes('://'))
			throw this.refusal(item, `"${withoutQuery(text)}" is not a job ID`, advice);
		return jobId;
	}

	/** Returns the error for invalid input in an item, or with {@link RUN} in the node. */
	refusal(item: number, message: string, description: string): NodeError {
		const itemIndex = item === RUN ? undefined : item;
		return operationError(this.context.getNode(), message, description, itemIndex);
	}

	private wrong(path: string, item: number, value: unknown, expected: string): NodeError {
		const message = `${fieldLabel(path)} cannot be ${shown(value)}`;
		return this.refusal(item, message, `It takes ${expected}. Nothing was sent.`);
	}
}

const FORMAT_SUFFIX = new RegExp(`\\.(?:${DOWNLOAD_FORMATS.join('|')})$`, 'i');

/** Returns the job ID in a text: the text itself, or the part after `/jobs/` in a job's address. */
export function jobIdFrom(text: string): string {
	const path = parseUrl(text)?.pathname ?? (text.startsWith('/') ? text : undefined);
	const inPath = path === undefined ? undefined : /\/jobs\/([^/?#]+)/.exec(path)?.[1];
	if (inPath === undefined) return text;
	return decodedPart(inPath).replace(FORMAT_SUFFIX, '');
}

/** Makes user input safe to show: removes an address's query, which may contain the key. */
function withoutQuery(text: string): string {
	const url = parseUrl(text);
	return url === undefined || url.origin === 'null' ? text : url.origin + url.pathname;
}
