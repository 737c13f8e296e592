import { kindOf, listNameOf, TEST_SOURCE } from './catalog.ts';
import type { TopicKind } from './catalog.ts';
import { isoTime } from './clock.ts';
import { bestsellers, reviews, searchResults } from './content/lists.ts';
import { productAs, withTraits } from './content/traits.ts';
import { reshaped } from './content/shapes.ts';
import { everyday } from './content/everyday.ts';
import type { Lookup } from './content/pieces.ts';
import { productAndOffers } from './content/product.ts';
import { Dice, hashOf } from './content/random.ts';
import type { Job } from './job.ts';
import { echoedTopic } from './jobRequest.ts';
import type { SandboxOptions } from './options.ts';
import { outcomeOf } from './outcome.ts';
import { ownKey } from './requestNames.ts';

export interface Result {
	query: Record<string, unknown>;
	success: boolean;
	reason?: string;
	metadata: Record<string, unknown>;
	content: unknown;
}

const CONTENTS: Record<TopicKind, (lookup: Lookup) => Record<string, unknown>> = {
	bestsellers,
	product_and_offers: productAndOffers,
	reviews,
	search: searchResults,
};

/** A GTIN as the service repeats it; any other value unchanged. */
function echoedGtin(key: string, value: string, { gtinEcho }: SandboxOptions): string {
	if (key !== 'gtin' || gtinEcho === 'asSent') return value;
	return gtinEcho === 'padded' ? value.padStart(14, '0') : value.replace(/^0+(?=\d)/, '');
}

/** Pages that a lookup delivers; each is charged. */
export function pagesOf(job: Job, value: string): number {
	const outcome = outcomeOf(job.request.key, value);
	if (outcome.kind === 'failed' || outcome.kind === 'invalid' || outcome.kind === 'slow') return 0;
	if (outcome.kind === 'notFound') return 1;
	const kind = kindOf(job.request.topic);
	// In the documented sample, the test source delivers two pages for one requested.
	if (job.request.source === TEST_SOURCE && kind === 'search') return job.request.query.max_pages + 1;
	return Math.min(job.request.query.max_pages, 1 + (hashOf(value) % 20));
}

/** Credits for one value: one per page, doubled if a parameter was changed. */
export function creditsOf(job: Job, value: string): number {
	return pagesOf(job, value) * (job.request.changed ? 2 : 1);
}

function metadataOf(job: Job, value: string, options: SandboxOptions): Record<string, unknown> {
	const pages = pagesOf(job, value);
	const cachedAt = job.cachedAt.get(value);
	const cached = cachedAt === undefined ? 0 : pages;
	const metadata: Record<string, unknown> = {
		from_cache: cachedAt !== undefined,
		page_count_delivered: pages,
		page_count_from_cache: cached,
		page_count_live: pages - cached,
		request_count: cached > 0 ? 0 : pages + 1,
		updated_at: isoTime(cachedAt ?? job.readAt),
	};
	if (!options.metadataExtras) return metadata;
	const tag = isoTime(job.createdAt).replace('Z', '').replaceAll(/[-:]/g, '_').replace('T', '-');
	return { ...metadata, page_count_requested: job.request.query.max_pages, tag };
}

function emptyContent(job: Job, wanted: string): unknown {
	if (wanted === 'emptyArray') return [];
	return wanted === 'emptyList' ? { [listNameOf(kindOf(job.request.topic))]: [] } : null;
}

const bare = (value: string) => value.replace(/^0+/, '');

/** The entry of the option `market` for a value at a source, if any. */
const ownOf = (value: string, source: string, { market }: SandboxOptions) =>
	Object.entries(market).find(([one]) =>
		[bare(value), `${source}/${bare(value)}`].includes(bare(one)),
	)?.[1];

const CENTS = /^\d+\.\d\d$/;

/** Multiplies the prices in a content by `factor`; shipping costs stay. */
function atFactor(content: unknown, factor: number): unknown {
	const times = (text: unknown) => (Math.round(Number(text) * factor * 100) / 100).toFixed(2);
	const change = (name: string, field: unknown, { price, shipping_costs }: Record<string, unknown>) => {
		if (typeof field !== 'string' || !CENTS.test(field)) return atFactor(field, factor);
		if (name === 'price_with_shipping')
			return (Number(times(price)) + Number(shipping_costs ?? 0)).toFixed(2);
		return ['max_price', 'min_price', 'price'].includes(name) ? times(field) : field;
	};
	if (Array.isArray(content)) return content.map((entry) => atFactor(entry, factor));
	if (typeof content !== 'object' || content === null) return content;
	const fields = content as Record<string, unknown>;
	return Object.fromEntries(
		Object.entries(fields).map(([name, field]) => [name, change(name, field, fields)]),
	);
}

function contentOf(job: Job, value: string, options: SandboxOptions): unknown {
	const { source, key, topic, query } = job.request;
	const country = job.request.country.toLowerCase();
	const seed = [source, country, topic, key, value, query.max_pages, query.sort_by].join('\u0000');
	const readAt = job.cachedAt.get(value) ?? job.readAt;
	const dice = new Dice(seed);
	const kind = kindOf(topic);
	const asked = { source, country, key, value, pages: pagesOf(job, value), hits: options.searchHits };
	const content = CONTENTS[kind]({ ...asked, readAt, dice });
	const product = kind === 'product_and_offers' ? productAs(options.productContent, content) : content;
	const shaped = reshaped(withTraits(product, options), listNameOf(kind), options.contentShape);
	const told = options.texts === 'everyday' ? everyday(shaped, value, job.createdAt) : shaped;
	const factor = ownOf(value, source, options);
	return typeof factor === 'number' ? atFactor(told, factor) : told;
}

/**
 * The result of one value, in the document's shape. The same value, source, country and parameters give the same
 * content.
 */
export function resultOf(job: Job, value: string, options: SandboxOptions): Result {
	const { source, country, key, topic, query } = job.request;
	const echoed = echoedGtin(key, value, options);
	const words = { topic: echoedTopic(topic, options), key: ownKey(key, options) };
	const echo = { source, country, ...words, value: echoed, ...query };
	const metadata = metadataOf(job, value, options);
	const outcome = outcomeOf(job.request.key, value);
	const failed = (reason: string): Result => ({
		...{ query: echo, success: false, reason, metadata, content: null },
	});
	const found = (content: unknown): Result => ({ query: echo, success: true, metadata, content });
	const own = ownOf(value, source, options);
	if (typeof own === 'string') return failed(own);
	if (typeof own === 'object') return found(own);
	if (outcome.kind === 'failed') return failed(outcome.reason);
	if (outcome.kind === 'invalid') return failed('invalid value');
	if (outcome.kind !== 'notFound') return found(contentOf(job, key === 'gtin' ? echoed : value, options));
	const wanted = outcome.content === 'option' ? options.notFoundContent : outcome.content;
	return wanted === 'reason' ? failed('not found') : found(emptyContent(job, wanted));
}
