import type { IDataObject } from 'n8n-workflow';

import { contentShape, isGiven, type ContentMeaning, LISTS } from '../service/names';
import { oneLine } from '../service/text';
import { topicTraits } from '../service/topics';
import { isObject, type Result } from '../service/types';
import { entriesOf, listsIn, locatedHolders } from './contentList';
import { entriesIn, located, type ContentReader, type Located } from './contentReader';
import type { StepRunner, Steps } from './steps';
import { fieldIn, readMoney, readShipping, readTextOrFlag, Unreadable } from './values';

/** The meanings that are read in products, offers, hits and ranks. */
const OFFER_MEANINGS = [
	...(['name', 'price', 'total', 'shipping', 'currency', 'condition', 'shop', 'availability'] as const),
	...(['url', 'rank'] as const),
];
/** The meanings that are read in reviews. */
const REVIEW_MEANINGS = ['author', 'date', 'rating', 'text'] as const;

/** Limits: an example's length in characters, the paths in a report, and the entries that are examined in each list. */
const [LONGEST_EXAMPLE, MOST_PATHS, MOST_ENTRIES] = [100, 1_000, 100];

interface Reported {
	example: string;
	/** In how many results it is filled. */
	results: number;
	readAs?: string;
}

/** Lists the fields of a service's results and what the node reads them as, which helps to set up Field Names. */
export class FieldReport {
	private readonly fields = new Map<string, Reported>();

	constructor(
		private readonly reader: ContentReader,
		private readonly runner: StepRunner,
	) {}

	async add(results: readonly Result[]): Promise<void> {
		for (const result of results) await this.runner.run(this.addResult(result));
	}

	/** One item per field, in the order in which the fields first occurred. */
	rows(): IDataObject[] {
		return [...this.fields].map(([path, { example, results, readAs }]) => ({
			...{ path, example, results },
			read_as: readAs ?? null,
		}));
	}

	private *addResult({ content, query }: Result): Steps<undefined> {
		const paths = new Map<object, string>();
		const seen = new Set<string>();
		yield* this.addFields(content, '', paths, seen);
		const topic = query?.topic ?? undefined;
		for (const meaning of new Set([...topicTraits(topic).lists, ...LISTS]))
			for (const list of listsIn(content, [meaning], this.reader, { topic })) {
				for (const { levels } of list.groups) {
					const [parent] = levels;
					if (parent) this.mark(paths, parent.object, [parent.via], meaning);
				}
				let remaining = MOST_ENTRIES;
				for (const { entry, levels } of entriesOf(list)) {
					yield 1;
					if (remaining-- === 0) break;
					if (isObject(entry)) this.markAll(paths, located(entry, levels), meaning === 'reviews');
				}
			}
		for (const holder of locatedHolders(content)) {
			this.markAll(paths, holder, false);
			const { object } = holder;
			for (const via of holder.known.shape.buybox) {
				const levels = [{ object, via, isEntry: false }, ...holder.levels];
				for (const entry of entriesIn(object[via], via) ?? [])
					if (isObject(entry)) this.markAll(paths, located(entry, levels), false);
			}
		}
		return undefined;
	}

	/** Adds the fields of a value. Each field counts once per result. */
	private *addFields(
		value: unknown,
		path: string,
		paths: Map<object, string>,
		seen: Set<string>,
	): Steps<undefined> {
		if (!isObject(value) && !Array.isArray(value)) return this.addField(path, value, seen);
		const name = path.slice(path.lastIndexOf('.') + 1);
		const entries = entriesIn(value, name) ?? [];
		if (entries[0] !== value && path !== '') this.addField(path, `list of ${entries.length}`, seen);
		for (const entry of entries.slice(0, MOST_ENTRIES)) {
			yield 1;
			if (!isObject(entry)) continue;
			paths.set(entry, path);
			for (const [field, inner] of Object.entries(entry))
				yield* this.addFields(inner, path === '' ? field : `${path}.${field}`, paths, seen);
		}
		return undefined;
	}

	private addField(path: string, value: unknown, seen: Set<string>): undefined {
		if (!isGiven(value) || seen.has(path) || path === '') return;
		seen.add(path);
		const known = this.fields.get(path);
		if (known !== undefined) known.results++;
		else if (this.fields.size < MOST_PATHS)
			this.fields.set(path, { example: oneLine(String(value), LONGEST_EXAMPLE), results: 1 });
	}

	private markAll(paths: ReadonlyMap<object, string>, located: Located, isReview: boolean): void {
		for (const meaning of isReview ? REVIEW_MEANINGS : OFFER_MEANINGS)
			this.markFirst(paths, located, meaning);
	}

	/** Marks the field that a meaning is read from. In an object, marks the inner field, and the currency beside an amount. */
	private markFirst(paths: ReadonlyMap<object, string>, located: Located, meaning: ContentMeaning): void {
		const [source] = this.reader.sources(located, meaning);
		if (source === undefined) return;
		const { object, names, value } = source;
		const isMoney = meaning === 'price' || meaning === 'total' || meaning === 'shipping';
		const readAmount = { shipping: readShipping, price: readMoney, total: readMoney }[meaning as 'price'];
		const parsed = isMoney ? readAmount(value, []) : readTextOrFlag(value);
		if (parsed === undefined || parsed instanceof Unreadable) return;
		const inner = Array.isArray(value) ? (value[0] as unknown) : value;
		const field = fieldIn(inner, isMoney ? 'amount' : meaning === 'currency' ? 'code' : 'label');
		this.mark(paths, object, field === undefined ? names : [...names, field], meaning);
		if (!isMoney || !isObject(inner)) return;
		const currency = contentShape(inner).currency.find((one) => isGiven(inner[one]));
		if (currency !== undefined) this.mark(paths, object, [...names, currency], 'currency');
	}

	private mark(
		paths: ReadonlyMap<object, string>,
		object: object,
		names: readonly string[],
		meaning: string,
	): void {
		const path = [paths.get(object) ?? '', ...names].filter((name) => name !== '').join('.');
		const known = this.fields.get(path);
		if (known !== undefined) known.readAs ??= meaning;
	}
}
