import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { decodedPart, parseUrl } from '../service/connection';
import { inputError, type NodeError } from './errors';
import { mayNameItem, namesItemAlone } from './expressions';
import { isObject } from '../service/types';

/** Reads a field once for the run instead of per item. */
export const RUN = -1;

/** Whether a stored parameter contains an expression at any depth. */
function holdsExpression(stored: unknown): boolean {
	if (typeof stored === 'string') return stored.startsWith('=');
	if (typeof stored !== 'object' || stored === null) return false;
	return Object.values(stored).some(holdsExpression);
}

/** The value of a field at an item, with the parts of another item's value whose expressions are the same for all. */
function withShared(
	stored: unknown,
	shared: unknown,
	own: unknown,
	isShared: (text: string) => boolean,
): unknown {
	if (typeof stored === 'string') return isShared(stored) ? shared : own;
	if (Array.isArray(stored) && Array.isArray(shared) && Array.isArray(own))
		return own.map((one: unknown, index) => withShared(stored[index], shared[index], one, isShared));
	if (!isObject(stored) || !isObject(shared) || !isObject(own)) return own;
	const entries = Object.entries(own).map(([name, one]) => {
		return [name, withShared(stored[name], shared[name], one, isShared)];
	});
	return Object.fromEntries(entries) as IDataObject;
}

/** The value at a path of names; undefined if one is missing. */
function within(value: unknown, names: readonly string[]): unknown {
	return names.reduce<unknown>(
		(inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
		value,
	);
}

/** The expression that n8n writes when a column is dragged: `={{ $json.gtin }}`, also with deeper fields. */
const PLAIN_FIELD = /^=\{\{\s*\$json((?:\.[A-Za-z_]\w*)+)\s*\}\}$/;

/** The plain value of a field: unwraps resource locators and lists with one element. */
function plainValue(parameter: unknown): unknown {
	const inner: unknown = isObject(parameter) && '__rl' in parameter ? parameter.value : parameter;
	return Array.isArray(inner) && inner.length === 1 ? (inner[0] as unknown) : inner;
}

const isEmpty = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Labels that differ from the words of the stored name. */
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

/** The editor's label for `options.maxPages`: `Max Pages`. */
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

/** n8n's contexts with parameters; triggers have no input items. */
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
 * default when an expression returns nothing; other values are errors that name field and item. A field is
 * read per item, or with {@link RUN} once for the run: its expression must then return the same for all
 * items. An expression that names nothing of the item, such as `$now`, is evaluated once, so that it does not make
 * items differ. Paths are n8n's: `topic`, `options.maxPages`.
 */
export class Parameters {
	/** The node's parameters as stored. n8n copies the node each time it gives it. */
	readonly stored: IDataObject;
	/** Values that are the same for all items: of fields without an expression, and of those read once for the run. */
	private readonly fixed = new Map<string, unknown>();
	private readonly ofRun = new Map<string, unknown>();
	/** Values at the first item for which a field could be read. */
	private readonly ofFirst = new Map<string, unknown>();
	/** Whether an expression is the same for all items, by its text. */
	private readonly shared = new Map<string, boolean>();

	constructor(private readonly context: ParameterSource) {
		this.stored = context.getNode().parameters;
	}

	/**
	 * The value from n8n.
	 *
	 * @param meaningOf values with the same meaning are the same for all items: 10 and "10"
	 * @throws any error of the expression
	 */
	value(path: string, item: number, meaningOf: (value: unknown) => unknown = (value) => value): unknown {
		const known = item === RUN && this.ofRun.has(path) ? this.ofRun : this.fixed;
		if (known.has(path)) return known.get(path);
		const [name = '', ...inner] = path.split('.');
		const root = this.stored[name];
		// An expression can give a whole collection.
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
		(isFixed ? this.fixed : this.ofRun).set(path, value);
		return value;
	}

	/** An evaluation takes n8n up to a millisecond, so plain fields are read from the item directly. */
	private itemField(stored: unknown, item: number): number | string | undefined {
		const field = typeof stored === 'string' ? PLAIN_FIELD.exec(stored)?.[1] : undefined;
		const found = field && within(this.context.getInputData?.()[item]?.json, field.split('.').slice(1));
		return typeof found === 'string' || typeof found === 'number' ? found : undefined;
	}

	/** The value of a field with an expression at an item. */
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
		if (typeof stored === 'string' && this.ofFirst.has(path) && isShared(stored))
			return this.ofFirst.get(path);
		const value = evaluate(item);
		if (!this.ofFirst.has(path)) this.ofFirst.set(path, value);
		return withShared(stored, this.ofFirst.get(path), value, isShared);
	}

	/** The common value of an expression for all items. An error for one item affects only that item. */
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
			const given = plainValue(value);
			const meaning = JSON.stringify(isEmpty(given) ? '' : (meaningOf(given) ?? given));
			first ??= { value, meaning };
			if (meaning === first.meaning) continue;
			const gives = `its expression gives ${shown(first.value)} and ${shown(value)}`;
			const advice = 'Nothing was sent. Use a fixed value, or run the node once for each.';
			const message = `${fieldLabel(path)} must be the same for all items, but ${gives}`;
			throw this.refusal(item, message, `It is read once for the whole run. ${advice}`);
		}
		if (first === undefined && failure !== undefined) throw failure;
		return first?.value;
	}

	/** What the value of a field means; undefined when it is empty. */
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

	/** A text, or a number as text. */
	text(path: string, item: number, fallback = ''): string {
		return this.meaning(path, item, 'a text', textOf)?.trim() ?? fallback;
	}

	/** Whether the value of a field was chosen from a list of what the service has. */
	isListed(name: string): boolean {
		const stored = this.stored[name];
		return isObject(stored) && stored.mode === 'list';
	}

	/** Whether a field holds a fixed text that somebody typed: neither chosen from a list nor from an expression. */
	isTyped(name: string): boolean {
		return !this.isListed(name) && !holdsExpression(this.stored[name]);
	}

	/** What an input item holds in a field of its own. */
	ofInput(item: number, name: string): unknown {
		return within(this.context.getInputData?.()[item]?.json, [name]);
	}

	/** Whether the value of a field is one of its item: that of an expression about the item alone. */
	isOfItem(name: string): boolean {
		const stored = this.stored[name];
		return typeof stored === 'string' && stored.startsWith('=') && namesItemAlone(stored);
	}

	/**
	 * The first `{{ … }}` in a field that is undefined for every item, as after a heading was renamed. An expression that
	 * fails for an item is that item's error.
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
			const given: unknown[] = [value].flat(Infinity);
			// As String() writes what does not exist, unless a cell says just that.
			const cells = Object.values(this.context.getInputData?.()[item]?.json ?? {});
			const missing: unknown[] = cells.includes(UNDEFINED) ? [undefined] : [undefined, UNDEFINED];
			return given.length > 0 && given.every((one) => missing.includes(one));
		} catch {
			return false;
		}
	}

	/** Whether the value of a field is the same for all items. */
	isSameForAll(name: string): boolean {
		const stored = this.stored[name];
		return !holdsExpression(stored) || (typeof stored === 'string' && !mayNameItem(stored));
	}

	flag(path: string, item: number, fallback: boolean): boolean {
		return this.meaning(path, item, 'true or false', flagIn) ?? fallback;
	}

	/** A number from `least` to `most`; undefined when the field is empty. */
	number(path: string, item: number, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
		const bound = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
		return this.meaning(path, item, `a number ${bound}`, (value) => {
			const number = typeof value === 'string' ? Number(value) : value;
			return typeof number === 'number' && number >= least && number <= most ? number : undefined;
		});
	}

	/** A limit; Infinity for 0 and when the field is absent. An empty field is an error, not no limit. */
	limit(path: string): number {
		if (within(this.stored, path.split('.')) === undefined) return Infinity;
		const limit = this.number(path, RUN, 0);
		if (limit === undefined) throw this.wrong(path, RUN, this.value(path, RUN) ?? null, 'a number');
		return limit === 0 ? Infinity : limit;
	}

	/** One of a list's choices. n8n checks neither results of expressions nor imported workflows. */
	choice<T extends string>(path: string, item: number, choices: readonly T[], fallback: T): T {
		const expected = `one of these: ${choices.join(', ')}`;
		const chosen = (value: unknown) => choices.find((choice) => choice === value);
		return this.meaning(path, item, expected, chosen) ?? fallback;
	}

	/** A list of texts, or a text split at the separator and trimmed, if there is one. Expressions may return nested lists. */
	texts(path: string, item: number, separator?: RegExp): string[] {
		const meaningOf = (given: unknown) => {
			const values = [given].flat(Infinity).filter((value) => !isEmpty(value));
			const parts = values.flatMap((value) => {
				const text = textOf(value);
				if (text === undefined) throw this.wrong(path, item, value, 'a list of texts');
				return separator === undefined ? [text] : text.split(separator).map((part) => part.trim());
			});
			return [...new Set(parts.filter((part) => part !== ''))];
		};
		return meaningOf(this.value(path, item, (given) => meaningOf(given).join('\n')));
	}

	/** The pairs of a list of names and values (see `parameterList`); incomplete pairs are dropped. */
	pairs(path: string, item: number): IDataObject {
		const rows = within(this.value(path, item), ['parameter']);
		const pairs: IDataObject = {};
		for (const row of Array.isArray(rows) ? rows.filter(isObject) : []) {
			const { name, value } = row;
			if (typeof name === 'string' && name.trim() !== '' && value !== null) pairs[name.trim()] = value;
		}
		return pairs;
	}

	/** The option Request Timeout in milliseconds; undefined when not set. */
	timeoutMs(item = RUN): number | undefined {
		const seconds = this.number('options.requestTimeout', item, 0, 86_400);
		return seconds === undefined || seconds === 0 ? undefined : seconds * 1000;
	}

	/**
	 * The job ID in an item.
	 *
	 * @throws NodeOperationError when there is none; it repeats the error of an item that the node before failed
	 */
	jobId(item: number): string {
		const text = this.text('jobId', item);
		const jobId = jobIdFrom(text);
		const advice = 'Enter the ID or the address of a job, e.g. {{ $json.job_id }} after Create.';
		if (text === '') {
			const { error = '', message } = this.context.getInputData?.()[item]?.json ?? {};
			const why =
				typeof error === 'string' && error ? `, because the node before failed: ${error}` : '';
			const told = typeof message === 'string' && why !== '' ? message : '';
			throw this.refusal(item, `Job is empty${why}`, told || advice);
		}
		// A dot segment would change the path of the request.
		if (jobId === '' || /^\.{1,2}$/.test(jobId) || jobId.includes('://'))
			throw this.refusal(item, `"${withoutQuery(text)}" is not a job ID`, advice);
		return jobId;
	}

	/** The error for invalid input of an item, or with {@link RUN} of the node. */
	refusal(item: number, message: string, description: string): NodeError {
		const items = item === RUN ? undefined : item;
		return inputError(this.context.getNode(), message, description, items);
	}

	private wrong(path: string, item: number, value: unknown, expected: string): NodeError {
		const message = `${fieldLabel(path)} cannot be ${shown(value)}`;
		return this.refusal(item, message, `It takes ${expected}. Nothing was sent.`);
	}
}

/** The job ID in a text: the text itself, or the part after `/jobs/` in the address of a job. */
export function jobIdFrom(text: string): string {
	const path = parseUrl(text)?.pathname ?? (text.startsWith('/') ? text : undefined);
	const inPath = path === undefined ? undefined : /\/jobs\/([^/?#]+)/.exec(path)?.[1];
	if (inPath === undefined) return text;
	return decodedPart(inPath).replace(/\.(json|xml|csv|xlsx)$/i, '');
}

/** User input for a text; an address without its query, which may contain the key. */
function withoutQuery(text: string): string {
	const url = parseUrl(text);
	return url === undefined || url.origin === 'null' ? text : url.origin + url.pathname;
}
