import type { SandboxOptions } from './options.ts';

/**
 * Field names as the service sends them. The sandbox works with the names of the document and of the recordings; this
 * file translates them by the options `names`, `nesting` and `fieldSpelling`.
 */

type Fields = Record<string, unknown>;

/** The meanings of a job's fields in `names`. */
const JOB: Fields = { job_id: 'jobId', status: 'status', reason: 'reason' };

/** The same for a result and everything in its content. */
const CONTENT: Fields = {
	...{ reason: 'reason', name: 'name', price: 'price', price_with_shipping: 'total' },
	...{ shipping_costs: 'shipping', currency: 'currency', condition_text: 'condition', shop_name: 'shop' },
	...{ availability_text: 'availability', author_name: 'author', created_at: 'date', rating: 'rating' },
	...{ search_results: 'hits', bestsellers: 'ranks' },
};

/** A name in the spelling that is switched on. */
export function spelledName(name: string, { fieldSpelling }: SandboxOptions): string {
	const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
	const [first = '', ...others] = name.split('_');
	switch (fieldSpelling) {
		case 'snake':
			return name;
		case 'dash':
			return name.replaceAll('_', '-');
		case 'camel':
			return first + others.map(capital).join('');
		case 'pascal':
			return capital(first) + others.map(capital).join('');
	}
}

/**
 * A field's name by its meaning, if `meanings` gives it one, in the spelling that is switched on. The field keeps its
 * name if the object already has a field with the new name, such as the counter `errors` of a job.
 */
function sentName(field: string, object: object, meanings: Fields, options: SandboxOptions): string {
	const name = options.names[String(meanings[field])] ?? field;
	return spelledName(Object.hasOwn(object, name) ? field : name, options);
}

/** Whether the options leave all names as in the document. */
const isPlain = ({ names, nesting, fieldSpelling }: SandboxOptions) =>
	fieldSpelling === 'snake' && nesting.length === 0 && Object.keys(names).length === 0;

const isMap = (value: unknown): value is Fields =>
	typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Renames all fields in a value by the options. */
function renamed(value: unknown, meanings: Fields, options: SandboxOptions): unknown {
	if (Array.isArray(value)) return value.map((entry) => renamed(entry, meanings, options));
	if (!isMap(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([field, inner]) => [
			sentName(field, value, meanings, options),
			renamed(inner, meanings, options),
		]),
	);
}

/** Renames the fields of every job in a reply. Results have been renamed already. */
export function namedJobs(body: unknown, options: SandboxOptions): unknown {
	if (isPlain(options)) return body;
	if (Array.isArray(body)) return body.map((entry) => namedJobs(entry, options));
	if (!isMap(body)) return body;
	const isJob = 'job_id' in body || 'results' in body;
	return Object.fromEntries(
		Object.entries(body).map(([field, inner]) => {
			if (!isJob) return [field, namedJobs(inner, options)];
			return [
				field === options.labelParameter ? field : sentName(field, body, JOB, options),
				field === 'results' ? inner : renamed(inner, {}, options),
			];
		}),
	);
}

/** Renames the fields of a refusal. */
export function namedRefusal(body: object, options: SandboxOptions): Fields {
	return Object.fromEntries(
		Object.entries(body).map(([field, text]) => [sentName(field, body, JOB, options), text as unknown]),
	);
}

const AMOUNTS = ['price', 'price_with_shipping', 'shipping_costs', 'min_price', 'max_price'];

/** Turns prices, shop and category into objects if that is switched on. */
function nested(value: unknown, options: SandboxOptions): unknown {
	if (Array.isArray(value)) return value.map((entry) => nested(entry, options));
	if (!isMap(value)) return value;
	const { nesting, names } = options;
	const fields = Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, nested(inner, options)]),
	);
	// Otherwise a reader could still take the condition from its code.
	if (names.condition !== undefined && 'condition_text' in fields) delete fields.condition_code;
	if (nesting.includes('category') && typeof fields.category_name === 'string') {
		fields.category = { name: fields.category_name };
		delete fields.category_name;
	}
	if (nesting.includes('shop') && typeof fields.shop_name === 'string') {
		fields[names.shop ?? 'shop'] = { name: fields.shop_name };
		delete fields.shop_name;
	}
	if (!nesting.includes('price')) return fields;
	const { currency } = fields;
	const amounts = AMOUNTS.filter((name) => typeof fields[name] === 'string');
	for (const name of amounts)
		fields[name] = { amount: fields[name], ...('currency' in fields && { currency }) };
	if (amounts.length > 0) delete fields.currency;
	return fields;
}

/** Renames and nests the fields of a result. */
export function namedResult(result: Fields, options: SandboxOptions): Fields {
	if (isPlain(options)) return result;
	const { query, metadata, ...rest } = result;
	const beside = Object.entries({ query, metadata }).filter(([, field]) => field !== undefined);
	const isProduct = (content: unknown) => isMap(content) && 'offers' in content;
	const whole = nested(rest, options) as Fields;
	for (const [place, content] of Object.entries(whole)) {
		if (options.nesting.includes('product') && isProduct(content)) whole[place] = { product: content };
	}
	return {
		...(renamed(Object.fromEntries(beside), {}, options) as Fields),
		...(renamed(whole, CONTENT, options) as Fields),
	};
}
