import fc from 'fast-check';

/**
 * Replies that no option of the sandbox produces: refusals of any form, pages of a list that announce the next one in
 * any way, and early answers. Based on the field notes, not on what the package reads.
 */

/** A reply for the sandbox's fault `reply`. */
export interface GeneratedReply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

const SENTENCES = [
	'Der Schlüssel ist abgelaufen',
	'The request cannot be processed',
	'country must not be blank',
	'size must be between one and ten',
	'Nothing works today',
	'不明なエラー です',
	'Ask your administrator',
];

/** Names that frameworks and people use for messages, and some made-up ones. */
const CARRIERS = [
	...['message', 'msg', 'error_description', 'detail', 'details', 'title', 'description', 'error_message'],
	...['userMessage', 'hint', 'grund', 'explanation', 'Message', 'developer-message', 'country', 'info'],
];

type Fields = Record<string, unknown>;

/** Texts in any arrangement: side by side, in lists, in lists of objects, or nested. */
function arrangement(words: string[]): fc.Arbitrary<Fields> {
	const named = fc
		.uniqueArray(fc.constantFrom(...CARRIERS), { minLength: words.length, maxLength: words.length })
		.map((names) => Object.fromEntries(names.map((name, at) => [name, words[at]])));
	const listed = fc.constantFrom(
		{ errors: words },
		{ errors: words.map((message) => ({ message })) },
		{ violations: words.map((message, at) => ({ field: `field${at}`, message })) },
		{ errors: Object.fromEntries(words.map((text, at) => [`field${at}`, [text]])) },
		{ detail: words.map((msg) => ({ loc: ['body', 'country'], msg })) },
		{ fault: { faultstring: words[0], detail: { others: words.slice(1) } } },
	);
	const inner = fc.tuple(fc.constantFrom('error', 'problem', 'failure', 'Error'), named);
	return fc.oneof(
		named,
		listed,
		inner.map(([name, fields]) => ({ [name]: fields })),
	);
}

/** Fields that mark a refusal, even under a success status. */
const VERDICTS: Fields[] = [
	...['error', 'fail', 'failed', 'Failure', 'ERROR', false].map((status) => ({ status })),
	...[false, 'false', 'No'].flatMap((flag) => [{ success: flag }, { ok: flag }]),
	...[400, 403, '422', 409].map((code) => ({ status: code })),
];

const NOISE: Fields[] = [
	{},
	{ timestamp: '2026-11-22T10:00:00.000Z' },
	{ request_id: '8d3f-11', path: '/v2/jobs', took: 12 },
	{ type: 'https://errors.example.test/blank', instance: '/v2/jobs' },
	{ data: null, results: [] },
	{ version: 2, documentation_url: 'https://docs.example.test' },
	{ statusCode: 409, code: 17 },
	{ meta: { code: 403 }, result: 'error' },
];

const HEADERS: Array<Record<string, string>> = [
	{},
	{ link: '<https://docs.example.test>; rel="deprecation"' },
	{ link: '<https://docs.example.test>; rel="sunset", <https://example.test/a>; rel="canonical"' },
	{ 'content-type': 'text/plain' },
	{ 'content-type': 'application/problem+json', sunset: 'Sat, 31 Oct 2026 23:59:59 GMT' },
];

/** A refusal in some form, with the texts in it. */
export function arbitraryRefusal(): fc.Arbitrary<GeneratedReply & { words: string[] }> {
	return fc
		.uniqueArray(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 3 })
		.chain((words) =>
			fc.record({
				words: fc.constant(words),
				said: arrangement(words),
				verdict: fc.constantFrom(...VERDICTS),
				noise: fc.constantFrom(...NOISE),
				wrapped: fc.boolean(),
				status: fc.constantFrom(200, 200, 201, 400, 403, 409, 422),
				headers: fc.constantFrom(...HEADERS),
			}),
		)
		.map(({ words, said, verdict, noise, wrapped, status, headers }) => {
			// A verdict replaces a text of the same name.
			const body = { ...noise, ...(wrapped ? { response: said } : said), ...verdict };
			return { words, status, headers, body: JSON.stringify(body) };
		});
}

/** An answer about a job that is not ready yet. */
export function arbitraryEarly(of: 'download' | 'poll'): fc.Arbitrary<GeneratedReply> {
	const empty = fc.constantFrom<[number, string]>(
		[202, ''],
		[204, ''],
		[200, ''],
		[200, 'null'],
		[202, '{}'],
	);
	const withoutResults = fc.constantFrom<[number, string]>(
		[202, '{"message":"Accepted"}'],
		[202, '{"job_id":"a","status":"finished","results":[]}'],
	);
	const running = fc
		.tuple(
			fc.constantFrom('new', 'working', 'Queued', 'in_progress', 'processing'),
			fc.constantFrom('', 'data', 'response', 'job'),
			fc.constantFrom({}, { success: true }, { status: 'success' }, { ok: true, status: 'ok' }),
			fc.constantFrom(200, 202),
		)
		.map(([status, name, around, code]): [number, string] => {
			const job = { status, progress: 10 };
			return [code, JSON.stringify(name === '' ? job : { ...around, [name]: job })];
		});
	const replies = of === 'poll' ? empty : fc.oneof(empty, running, withoutResults);
	return fc
		.tuple(replies, fc.constantFrom(...HEADERS))
		.map(([[status, body], headers]) => ({ status, body, headers: { ...headers } }));
}

/** How a page announces the next one, given its number (from 1), the number of pages and the address. */
const WAYS: Record<
	string,
	(page: number, pages: number, address: string) => { beside?: Fields; link?: string; next?: string }
> = {
	silence: () => ({}),
	hasMore: (page, pages) => ({ beside: { has_more: page < pages } }),
	totalPages: (page, pages) => ({ beside: { meta: { page, total_pages: pages } } }),
	nextNumber: (page, pages) => ({ beside: { pagination: { page, next: page < pages ? page + 1 : null } } }),
	nextAddress: (page, pages, address) => ({
		beside: { links: { next: page < pages ? `${address}?page=${page + 1}` : null } },
	}),
	header: (page, pages) => ({ next: page < pages ? String(page + 1) : '' }),
	link: (page, pages, address) => ({
		link: [
			...(page < pages ? [`<${address}?page=${page + 1}>; rel="next"`] : []),
			`<${address}?page=1>; rel="first"`,
		].join(', '),
	}),
};

/** A list in pages that may announce the next page, with unrelated information beside it. */
export interface GeneratedList {
	pages: string[][];
	way: string;
	/** Whether each page counts its own jobs as the total. */
	pageTotals: boolean;
	/** Relations in the Link header that are about something else. */
	relation: string | undefined;
}

export function arbitraryList(): fc.Arbitrary<GeneratedList> {
	return fc.record({
		pages: fc
			.tuple(
				fc.integer({ min: 1, max: 4 }),
				fc.integer({ min: 1, max: 3 }),
				fc.integer({ min: 1, max: 3 }),
			)
			.map(([count, size, last]) =>
				Array.from({ length: count }, (_, page) =>
					Array.from({ length: page === count - 1 ? last : size }, (__, at) => `job-${page}-${at}`),
				),
			),
		way: fc.constantFrom(...Object.keys(WAYS)),
		pageTotals: fc.boolean(),
		relation: fc.constantFrom(undefined, 'sunset', 'deprecation', 'self', 'canonical', 'help', 'preload'),
	});
}

/** The reply to a request for a page of such a list; beyond its end the page is empty. */
export function replyOf(
	{ pages, way, pageTotals, relation }: GeneratedList,
	page: number,
	address: string,
): GeneratedReply & { type: 'reply' } {
	const jobs = (pages[page - 1] ?? []).map((job_id) => ({ job_id, status: 'finished' }));
	const { beside, link, next } = WAYS[way]?.(page, pages.length, address) ?? {};
	const other = relation === undefined ? [] : [`<https://example.test/notes>; rel="${relation}"`];
	const links = [...other, ...(link === undefined ? [] : [link])].join(', ');
	return {
		...{ type: 'reply' as const, status: 200 },
		headers: { ...(links !== '' && { link: links }), ...(next !== undefined && { 'x-next-page': next }) },
		body: JSON.stringify({ data: jobs, ...(pageTotals && { total: jobs.length }), ...beside }),
	};
}
