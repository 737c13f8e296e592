import { CHOICES, SETS } from './choices.ts';
import { fromXml, ORDER, useStill } from './support.ts';
import type { Fields, Options } from './support.ts';

const client = useStill({ jobDurationMs: 1000, statusRateLimit: 5 });

/** A reply with ID and URL in the place of the only job's ID and of the address. */
async function shown(answer: Response): Promise<Fields> {
	const { url, jobs } = client.sandbox;
	const named = (text: string) =>
		text.replaceAll(url, 'URL').replaceAll(encodeURIComponent(jobs.at(-1)?.job_id ?? url), 'ID');
	const text = named(await answer.text());
	const headers = [...answer.headers].map(([name, value]) => [name, named(value)]);
	const body: unknown = /^[[{]/.test(text) ? JSON.parse(text) : text;
	return { status: answer.status, body, ...Object.fromEntries(headers) };
}

/** What a request is answered: a GET with the key, unless `init` says something else. */
async function ask(path: string, init: RequestInit = {}): Promise<Fields> {
	const { url, apiKey } = client.sandbox;
	const address = `${url}${path}${path.includes('?') ? '&' : '?'}token=${apiKey}`;
	return await shown(await fetch(address, { redirect: 'manual', ...init }));
}

const JSON_BODY = { 'content-type': 'application/json' };
const order = (more: Fields = {}) => ({ ...ORDER, ...more });
const posted = (body: unknown): RequestInit => ({
	method: 'POST',
	headers: JSON_BODY,
	body: JSON.stringify(body),
});
const product = { topic: 'product_and_offers', source: 'google_shopping' };

// What is asked, by names that the table below uses. Each begins with a service that knows no job.
const create = (more?: Fields) => () => ask('/v2/jobs', posted(order(more)));
const form = () => {
	const body = new URLSearchParams(ORDER).toString();
	const headers = { 'content-type': 'application/x-www-form-urlencoded' };
	return ask('/v2/jobs', { method: 'POST', headers, body });
};
const created =
	(path: string, more: Fields = {}, init: RequestInit = {}) =>
	async () => {
		const id = await client.running(more);
		return await ask(path.replace('ID', encodeURIComponent(id)), init);
	};
const finished =
	(path: string, more: Fields = {}, init: RequestInit = {}) =>
	async () => {
		const id = await client.finished(more);
		return await ask(path.replace('ID', encodeURIComponent(id)), init);
	};
const status = finished('/v2/jobs/ID');
const early = created('/v2/jobs/ID/download');
const download = finished('/v2/jobs/ID/download');
const list =
	(query = '', more: Fields = {}) =>
	async () => {
		const ids: string[] = [];
		for (let index = 0; index < 7; index++) ids.push(await client.running(more));
		const reply = await ask(`/v2/jobs${query}`);
		const text = ids.reduce(
			(all, id, index) => all.replaceAll(id, `#${index + 1}`),
			JSON.stringify(reply),
		);
		return JSON.parse(text.replaceAll('"ID"', '"#7"')) as Fields;
	};
const results = (more?: Fields) => () => client.results({ ...product, ...more });
const result = (more?: Fields) => async () => (await results(more)())[0];
const content = (more?: Fields) => async () => (await result({ value: 'many-6', ...more })())?.content;
const xml =
	(more: Fields = {}) =>
	async () => {
		const values = ['nulls', 'many-2', 'fail'];
		return await finished('/v2/jobs/ID/download.xml', { ...product, values, ...more })();
	};
const bytes = async () => {
	const id = await client.finished({ ...product, value: 'Łucznik ø' });
	const { url, apiKey } = client.sandbox;
	const reply = await fetch(`${url}/v2/jobs/${id}/download.xml?token=${apiKey}`);
	const body = Buffer.from(await reply.arrayBuffer());
	const type = reply.headers.get('content-type') ?? '';
	// UTF-16 says its order by its mark, or is told by its first character.
	const big = body[0] === 0 || body[0] === 0xfe;
	const name = (/charset=(.*)/.exec(type)?.[1] ?? 'utf-8').replace('utf-16', big ? 'utf-16be' : 'utf-16le');
	const text = new TextDecoder(name).decode(body);
	const { results: found } = fromXml(text) as { results: Array<{ query: Fields }> };
	return { start: body.subarray(0, 5).toString('hex'), type, value: found[0]?.query.value };
};
const listed = async () => {
	const { body } = (await list()()) as { body: { data: Array<{ job_id: string }> } };
	return body.data.map(({ job_id }) => job_id).join();
};
const letters = async () => {
	const all = await results({ values: [...'abcdefgh'] })();
	return all.map(({ query }) => (query as Fields).value).join('');
};
const refused = created('/v2/jobs', {}, posted(order({ key: undefined })));
const cancel = created('/v2/jobs/ID/cancel', {}, { method: 'POST' });
const usage = finished('/v2/me/usage_today');
const again = async () => {
	await client.finished();
	return await create()();
};
const limited = async () => {
	const id = await client.running();
	for (let count = 0; count < 5; count++) await ask(`/v2/jobs/${id}`);
	return await ask(`/v2/jobs/${id}`);
};
const legacy = async () =>
	await shown(
		await fetch(`${client.sandbox.legacyUrl}/v2/jobs`, { redirect: 'manual' }).catch(
			() => new Response('reset'),
		),
	);
/** The callback of a job as a service would hear it. */
const callback = async () => {
	const sent = client.sandbox.deliveries;
	await client.finished({ webhook_url: 'http://127.0.0.1:1/hook?run=7' });
	client.sandbox.advance(60_000);
	while (sent.some(({ error }) => error === null)) await new Promise(setImmediate);
	const id = client.sandbox.jobs[0]?.job_id ?? '';
	const text = JSON.stringify(client.sandbox.deliveries).replaceAll(client.sandbox.url, 'URL');
	return JSON.parse(text.replaceAll(id, 'ID')) as unknown;
};
const key = (init: RequestInit) => async () => {
	const url = `${client.sandbox.url}/v2/jobs`;
	return await shown(await fetch(url, init));
};
const authorized = (authorization: string) => key({ headers: { authorization } });
const KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';
const BASIC = `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`;

const WORDS = "Provide the mandatory parameter 'key'!";
const some: unknown = expect.anything();
const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const without = (field: string): unknown => expect.not.objectContaining({ [field]: expect.anything() });
const jobs = (...numbers: number[]) => ({ data: numbers.map((number) => ({ job_id: `#${number}` })) });
const values = (...all: unknown[]) => all.map((value) => ({ query: { value } }));
const ABC = { values: ['a', 'b', 'c'] };
const GTIN = { key: 'gtin', value: '0885909666966' };
const MINIMAL = { job_id: 'ID', status: 'finished' };

/** Each choice of each option: with it, what is asked is answered like this, and not so without it. */
const TABLE: Array<[Options, () => unknown, unknown]> = [
	// Access
	[{ authentication: ['header'] }, key({ headers: { 'x-api-key': KEY } }), { status: 200 }],
	[{ authentication: ['header'], authHeader: 'x-k' }, key({ headers: { 'X-K': KEY } }), { status: 200 }],
	[{ authentication: ['bearer'] }, authorized(`Bearer ${KEY}`), { status: 200 }],
	[{ authentication: ['basic'] }, authorized(BASIC), { status: 200 }],
	[{ authentication: ['body'] }, list(), { status: 401 }],
	[{ authentication: ['query'] }, key(posted(order({ token: KEY }))), { status: 401 }],
	[{ authParameter: 'k' }, key({}), { status: 401, body: { parameter: 'k' } }],
	[{ bodyEncodings: ['json'] }, form, { status: 400 }],
	[{ bodyEncodings: ['form'] }, create(), { status: 400 }],
	[{ bodyEncodings: ['query'] }, create(), { status: 400 }],
	[{ lookupValues: 'value' }, create({ value: undefined, values: 'a' }), { body: { parameter: 'value' } }],
	[{ lookupValues: 'values' }, create(), { body: { parameter: 'values' } }],
	[{ extraKeys: ['asin'] }, create({ key: 'asin' }), { status: 200 }],
	[{ maxValues: 2 }, create({ values: ['a', 'b', 'c'] }), { body: { reason: 'too many values' } }],
	[{ topics: ['prices'] }, create({ topic: 'prices' }), { status: 200 }],
	[{ freeCredits: 0 }, create(), { status: 402 }],
	// Formats
	[{ formatSelection: ['suffix'] }, finished('/v2/jobs/ID?format=xml'), { body: MINIMAL }],
	[{ formatSelection: ['parameter'] }, finished('/v2/jobs/ID.xml'), { status: 404 }],
	[{ formatSelection: ['accept'] }, finished('/v2/jobs/ID?format=xml'), { body: MINIMAL }],
	[{ formatParameter: 'as' }, finished('/v2/jobs/ID?as=xml'), { body: text(/^<\?xml/) }],
	[{ defaultFormat: 'xml' }, status, { body: text(/^<\?xml/) }],
	[{ contentType: 'text/html' }, status, { 'content-type': 'text/html', body: MINIMAL }],
	[{ contentType: 'none' }, status, without('content-type')],
	...(['gzip', 'deflate', 'br'] as const).map((compression): (typeof TABLE)[number] => [
		{ compression },
		finished('/v2/jobs/ID', {}, { headers: { 'accept-encoding': compression } }),
		{ 'content-encoding': compression, body: MINIMAL },
	]),
	[{ dateHeader: 'absent' }, status, without('date')],
	[{ dateHeader: 'dayAhead' }, status, { date: 'Wed, 21 Oct 2026 12:00:00 GMT' }],
	[{ dateHeader: 'dayBehind' }, status, { date: 'Mon, 19 Oct 2026 12:00:00 GMT' }],
	// Jobs
	[{ createReply: 'job' }, create(), { body: { job_id: 'ID', country: 'de', to_be_searched: 1 } }],
	[{ createReply: 'list' }, create(), { body: [{ job_id: 'ID', status: 'new', requested: 1 }] }],
	[{ createReply: 'jobAndCredits' }, create(), { body: { job: { job_id: 'ID' }, credits: 1 } }],
	[{ createReply: 'notSuccess' }, create(), { status: 200, body: { success: false, job_id: 'ID' } }],
	[{ createReply: 'timedOut' }, create(), { status: 408, body: 'The request took too long' }],
	[{ createReply: 'empty', createStatus: 201 }, create(), { status: 201, body: '' }],
	[{ createLocation: 'path' }, create(), { location: '/v2/jobs/ID' }],
	[{ createLocation: 'absolute' }, create(), { location: 'URL/v2/jobs/ID' }],
	[{ jobIdFormat: 'uuid' }, () => client.running(), text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
	[{ jobIdFormat: 'number' }, () => client.running(), text(/^\d{20}$/)],
	[{ jobIdFormat: 'odd' }, () => client.running(), text(/^Job\..*~v2_\d+$/)],
	[{ cachedJobs: 'finishedAtOnce' }, again, { body: { status: 'finished' } }],
	[{ statusCase: 'upper' }, status, { body: { status: 'FINISHED' } }],
	[{ statusCase: 'capitalised' }, status, { body: { status: 'Finished' } }],
	[{ statusReply: 'minimal' }, status, { body: without('requested') }],
	[{ statusReply: 'withResults' }, status, { body: { ...MINIMAL, results: [some] } }],
	[{ statusReply: 'counters' }, status, { body: { status: 'finished', success: 1, error: 0 } }],
	[{ statusDelayMs: 500 }, status, { body: { status: 'finishing' } }],
	[{ statusLagMs: 200 }, created('/v2/jobs/ID'), { status: 404 }],
	[{ topicEcho: { search: 'search_results' } }, status, { body: { topic: 'search_results' } }],
	[{ clockSkewMs: 3_600_000 }, status, { body: { created_at: '2026-10-20T13:00:00Z' } }],
	[{ jobFields: ['values'] }, status, { body: { values: ['kettle'] } }],
	[
		{ jobFields: ['webhookUrl'] },
		finished('/v2/jobs/ID', { webhook_url: 'http://127.0.0.1:1' }),
		{ body: { webhook_url: 'http://127.0.0.1:1' } },
	],
	[{ resultsIn: 'both' }, status, { body: { ...MINIMAL, results: [some] } }],
	[{ resultsIn: 'status' }, download, { body: { ...MINIMAL, results: [] } }],
	[{ resultsIn: 'status', emptyDownload: 'null' }, download, { body: { results: null } }],
	[{ resultsIn: 'status', emptyDownload: 'absent' }, download, { body: without('results') }],
	[{ earlyDownload: 'withoutResults' }, early, { status: 200, body: without('results') }],
	[
		{ earlyDownload: 'emptyResults', earlyDownloadStatus: 202 },
		early,
		{ status: 202, body: { results: [] } },
	],
	[{ earlyDownload: 'large' }, early, { status: 200, body: { log: { length: 500 } } }],
	[{ downloadRedirect: 'sameOrigin' }, download, { location: text(/^URL\/files\/[0-9a-f]{32}$/) }],
	[{ downloadRedirect: 'otherOrigin' }, download, { location: text(/^http:.*\/files\/[0-9a-f]{32}$/) }],
	[
		{ downloadRedirect: 'sameOrigin', ticketPlace: 'query' },
		download,
		{ location: text(/^URL\/files\/download\?token=[0-9a-f]{32}$/) },
	],
	[{ cancelReply: 'job' }, cancel, { status: 200, body: { status: 'cancelled', requested: 1 } }],
	[{ cancelReply: 'success' }, cancel, { status: 200, body: { success: true } }],
	[{ cancelReply: 'empty' }, cancel, { status: 204, body: '' }],
	[{ cancelledSpelling: 'canceled' }, cancel, { body: { status: 'canceled' } }],
	[{ retryAfter: 'seconds' }, limited, { status: 429, 'retry-after': '60' }],
	[{ retryAfter: 'date' }, limited, { 'retry-after': text(/^\w{3}, \d\d \w{3} \d{4} .* GMT$/) }],
	[{ usageShape: 'nested' }, usage, { body: { usage: { credits: 1 } } }],
	[{ usageShape: 'array' }, usage, { body: [{ source: 'amazon', credits: 1 }] }],
	[{ usageShape: 'counters' }, usage, { body: { success: 1, error: 0 } }],
	// Lists
	[{ listShape: 'jobs' }, list(), { body: { jobs: { length: 7 } } }],
	[{ listShape: 'array' }, list(), { body: { length: 7 } }],
	[{ listShape: 'items' }, list(), { body: { items: { length: 7 } } }],
	[{ listShape: 'dataJobs' }, list(), { body: { data: { jobs: { length: 7 } } } }],
	[{ listOrder: 'oldest' }, list(), { body: jobs(1, 2, 3, 4, 5, 6, 7) }],
	[{ listOrder: 'shuffled' }, listed, text(/^(?!#7,#6,#5,#4,#3,#2,#1$)(#\d,?){7}$/)],
	[{ listMaxPageSize: 2 }, list('?per_page=9'), { body: jobs(7, 6) }],
	[{ listPaging: 'ignored' }, list('?page=9&per_page=2'), { body: jobs(7, 6, 5, 4, 3, 2, 1) }],
	[{ listPaging: 'capped', listMaxPageSize: 3 }, list('?page=2&per_page=9'), { body: jobs(7, 6, 5) }],
	[{ listPaging: 'repeatLast' }, list('?page=9&per_page=3'), { body: jobs(1) }],
	[{ listPaging: 'refuse' }, list('?page=9&per_page=3'), { body: { reason: 'page not found' } }],
	[{ listPaging: 'cursor' }, list('?cursor=YWZ0ZXIgNQ'), { body: jobs(2, 1) }],
	[{ listPaging: 'cursor', listCursorParameter: 'after' }, list('?after=YWZ0ZXIgNQ'), { body: jobs(2, 1) }],
	[{ listFirstPage: 0 }, list('?page=1&per_page=3'), { body: jobs(4, 3, 2) }],
	[{ listPageParameter: 'p', listPageSizeParameter: 'n' }, list('?p=2&n=3'), { body: jobs(4, 3, 2) }],
	[{ listSays: ['total', 'pages'] }, list('?per_page=3'), { body: { total: 7, total_pages: 3 } }],
	[{ listSays: ['hasMore'] }, list('?per_page=3'), { body: { has_more: true } }],
	[{ listSays: ['hasMore'] }, list(), { body: { has_more: false } }],
	[{ listSays: ['link'] }, list('?per_page=3'), { link: '<URL/v2/jobs?per_page=3&page=2>; rel="next"' }],
	[
		{ listPaging: 'cursor', listSays: ['cursor'] },
		list('?per_page=3'),
		{ body: { next_cursor: 'YWZ0ZXIgMw' } },
	],
	[
		{ listPaging: 'cursor', listSays: ['cursor'], listCursorField: 'meta.next' },
		list('?per_page=9'),
		{ body: { meta: { next: null } } },
	],
	[{ listLagMs: 300 }, list(), { body: { data: [] } }],
	[{ listOddEntries: true }, list('?per_page=1'), { body: { data: [{}, null, { job_id: null }, some] } }],
	...(['values', 'webhookUrl', 'order', 'counters', 'times'] as const).map(
		(field): (typeof TABLE)[number] => {
			const names = { values: 'values', webhookUrl: 'webhook_url', order: 'topic' };
			const name = { ...names, counters: 'requested', times: 'created_at' }[field];
			const all = (['order', 'counters', 'times'] as const).filter((one) => one !== field);
			const isDefault = ['order', 'counters', 'times'].includes(field);
			const more = { webhook_url: 'http://127.0.0.1:1' };
			return isDefault
				? [
						{ listFields: all, jobFields: all },
						list('?per_page=1', more),
						{ body: { data: [without(name)] } },
					]
				: [
						{ listFields: [field] },
						list('?per_page=1', more),
						{ body: { data: [{ [name]: some }] } },
					];
		},
	),
	[
		{ listSpelling: ['capitals'] },
		list('?per_page=1'),
		{ body: { data: [{ source: 'AMAZON', country: 'DE' }] } },
	],
	[{ listSpelling: ['pages'] }, list('?per_page=1'), { body: { data: [{ requested: 10 }] } }],
	...(
		[
			['keyword', { key: 'keyword', keyword: ['Café crème', 'USB-C'] }],
			['lowerCase', { values: ['café crème', 'usb-c'] }],
			['plain', { values: ['cafe creme', 'usbc'] }],
			['joined', { values: 'Café crème, USB-C' }],
			['cut', { values: ['Café c', 'USB-C'] }],
			['firstOnly', { values: ['Café crème'] }],
		] as const
	).map(([spelling, job]): (typeof TABLE)[number] => [
		{ listFields: ['order', 'values'], listSpelling: [spelling] },
		list('?per_page=1', { values: ['Café crème', 'USB-C'] }),
		{ body: { data: [job] } },
	]),
	// Envelopes and refusals
	[{ envelope: 'data' }, status, { body: { data: MINIMAL } }],
	[{ envelope: 'job' }, status, { body: { job: MINIMAL } }],
	[{ envelope: 'response' }, usage, { body: { response: { jobs: 1 } } }],
	[{ envelope: 'request' }, status, { body: { id: 'req-7', status: 'success', data: MINIMAL } }],
	[{ envelopeFlag: 'error0' }, status, { body: { error: 0, ...MINIMAL } }],
	[{ envelopeFlag: 'successTrue' }, list(), { body: { success: true } }],
	[{ envelopeFlag: 'successText' }, status, { body: { success: 'true', ...MINIMAL } }],
	[{ envelopeFlag: 'successOne' }, usage, { body: { success: 1 } }],
	[{ refusalShape: 'rails' }, refused, { status: 400, body: { errors: { key: [WORDS] } } }],
	[{ refusalShape: 'fastapi' }, refused, { body: { detail: [{ loc: ['body', 'key'], msg: WORDS }] } }],
	[{ refusalShape: 'code' }, refused, { body: { code: 1001, msg: WORDS } }],
	[{ refusalShape: 'nested' }, refused, { body: { Error: { Code: 'missing parameter', Message: WORDS } } }],
	[{ refusalShape: 'list' }, refused, { body: [WORDS] }],
	[{ refusalShape: 'text' }, refused, { body: `"${WORDS}"` }],
	[{ refusalShape: 'xmlError' }, refused, { body: text(/<error>Provide the .*<\/error>/) }],
	[
		{ refusalShape: 'problem' },
		refused,
		{ body: { errors: { Key: [WORDS] } }, 'content-type': text(/^application\/problem\+json/) },
	],
	[{ refusalShape: 'laravel' }, refused, { body: { message: some, errors: { key: [WORDS] } } }],
	[{ refusalStyle: 'ok' }, refused, { status: 200, body: { success: false } }],
	[{ refusalStatuses: { 'missing parameter': 422 } }, refused, { status: 422 }],
	[{ legacyReply: 'html' }, legacy, { status: 404, body: text(/<h1>404/) }],
	[{ legacyReply: 'reset' }, legacy, { body: 'reset' }],
	[{ legacyReply: 'redirect' }, legacy, { status: 301, location: 'URL/v2/jobs' }],
	// Results
	[{ resultsOrder: 'reversed' }, results(ABC), values('c', 'b', 'a')],
	[{ resultsOrder: 'shuffled' }, letters, text(/^(?!abcdefgh)[a-h]{8}$/)],
	[{ extraResults: 1 }, results(ABC), values('a', 'b', 'c', 'unasked-1')],
	[{ oddResults: 'second', resultQuery: 'emptyList' }, results(ABC), [...values('a'), { query: [] }, some]],
	[{ resultQuery: 'emptyList' }, result(), { query: [] }],
	[{ resultQuery: 'null' }, result(), { query: null }],
	[{ resultQuery: 'absent' }, result(), without('query')],
	[{ resultMetadata: 'emptyList' }, result(), { metadata: [] }],
	[{ resultMetadata: 'null' }, result(), { metadata: null }],
	[{ resultMetadata: 'absent' }, result(), without('metadata')],
	[{ resultSuccess: 'text' }, result(), { success: 'true' }],
	[{ resultSuccess: 'number' }, result(), { success: 1 }],
	[{ resultSuccess: 'null' }, result(), { success: null }],
	[{ resultSuccess: 'absent' }, result(), without('success')],
	[{ resultReason: 'list' }, result({ value: 'fail' }), { reason: ['failed to access source'] }],
	[
		{ resultReason: 'object' },
		result({ value: 'fail' }),
		{ reason: { message: 'failed to access source' } },
	],
	[{ resultContent: 'data' }, result(), { data: { name: some } }],
	[{ resultContent: 'Content' }, result(), { Content: { name: some } }],
	[{ resultContent: 'flat' }, result(), { name: some, query: some }],
	[
		{ metadataExtras: true },
		result(),
		{ metadata: { page_count_requested: 1, tag: '2026_10_20-12_00_00' } },
	],
	[{ notFoundContent: 'emptyArray' }, result({ value: 'notfound' }), { success: true, content: [] }],
	[{ notFoundContent: 'emptyList' }, result({ value: 'notfound' }), { content: { offers: [] } }],
	[{ notFoundContent: 'reason' }, result({ value: 'notfound' }), { success: false, reason: 'not found' }],
	[{ gtinEcho: 'stripped' }, result(GTIN), { query: { value: '885909666966' } }],
	[{ gtinEcho: 'asSent' }, result(GTIN), { query: { value: '0885909666966' } }],
	[{ valueEcho: 'lowerCase' }, result({ value: 'Crème, Ø' }), { query: { value: 'crème, ø' } }],
	[{ valueEcho: 'plain' }, result({ value: 'Crème, Ø' }), { query: { value: 'creme ø' } }],
	[{ valueEcho: 'padded' }, result(), { query: { value: ' kettle ' } }],
	[{ valueEcho: 'underKey' }, result(), { query: { term: 'kettle' } }],
	[{ valueEcho: 'nothing' }, result(), { query: without('value') }],
	[{ contentShape: 'listInObject' }, content(), { list: { total: 6, items: { length: 6 } } }],
	[{ contentShape: 'groupedLists' }, content(), { offers: { new: { length: 3 }, used: { length: 3 } } }],
	[{ contentShape: 'twoLists' }, content(), { comments: { length: 6 }, histogram: { length: 5 } }],
	[{ contentShape: 'text' }, content(), text(/^Collected: /)],
	[{ contentShape: 'exactNumbers' }, xml(), { body: text(/<stock-number .*>12345678901234567890</) }],
	[{ productContent: 'buyboxOnly' }, content(), { buybox: { min_price: some }, offers: [] }],
	[{ productContent: 'priceOnly' }, content(), without('offers')],
	[{ searchHits: 'offers' }, content({ topic: 'search' }), hits('offer', 'price')],
	[{ searchHits: 'clusters' }, content({ topic: 'search' }), hits('offer_cluster', 'min_price')],
	[{ searchHits: 'products' }, content({ topic: 'search' }), hits('product', 'min_price')],
	[{ offerTraits: ['used'] }, content(), offers({}, { condition_code: 'used', price: '1.01' })],
	[{ offerTraits: ['nullPrices'] }, content(), offers({ price: null }, { price: some })],
	[{ offerTraits: ['mixedCurrencies'] }, content(), offers({ currency: 'EUR' }, { currency: 'USD' })],
	[{ offerTraits: ['unknownShipping'] }, content(), offers({}, { price: some, shipping_costs: null })],
	[{ offerTraits: ['ownShop'] }, content(), offers({}, { shop_name: 'My Own Shop', price: '0.50' })],
	[{ offerTraits: ['ownShop'], ownShop: 'Mine' }, content(), offers({}, { shop_name: 'Mine' })],
	[
		{ texts: 'everyday' },
		content(),
		{ name: text(/^(Norvik|Aurelo|Kessler|Lumivo|Brisa|Sonoro|Tavola) /) },
	],
	// XML
	[{ xmlTypes: 'results' }, xml(), { body: text(/^(?![^]* type="(?!array))[^]*<results type="array"/) }],
	[{ xmlTypes: 'none' }, xml(), { body: text(/^(?![\s\S]* type=)/) }],
	[{ xmlNil: 'iNil' }, xml(), { body: text(/xmlns:i=[\s\S]*<image-url i:nil="true"\/>/) }],
	[{ xmlNil: 'upperCase' }, xml(), { body: text(/<image-url nil="TRUE"\/>/) }],
	[{ xmlNil: 'empty' }, xml(), { body: text(/<image-url\/>/) }],
	[{ xmlNil: 'absent' }, xml({ values: ['nulls'] }), { body: text(/^(?![\s\S]*(nil=|<image-url))/) }],
	[{ xmlEntries: 'attributes' }, xml(), { body: text(/<offer id="\d{20}" product-id="\d{20}" price="/) }],
	[{ xmlEntries: 'currencyOnPrice' }, xml(), { body: text(/<price currency="EUR">\d+\.\d+<\/price>/) }],
	[{ xmlMixedText: true }, xml(), { body: text(/<name>[^<]+<b>[^<]+<\/b>[^<]*<\/name>/) }],
	[{ xmlNamespace: 'default' }, xml(), { body: text(/<hash xmlns="https:[^"]+">\s*<job-id>/) }],
	[{ xmlNamespace: 'prefixed' }, xml(), { body: text(/<pc:hash xmlns:pc="https:[^"]+">\s*<pc:job-id>/) }],
	[{ xmlDeclaration: 'afterBlankLine' }, xml(), { body: text(/^\n<\?xml /) }],
	[{ xmlDeclaration: 'none' }, xml(), { body: text(/^<hash>/) }],
	[
		{ xmlRoot: 'results' },
		xml(),
		{ body: text(/^<\?xml.*>\n<results type="array">\s*<result>\s*<query>/) },
	],
	[{ xmlIndent: false }, xml(), { body: text(/<hash><job-id>/) }],
	[{ charset: 'omitted' }, xml(), { 'content-type': 'application/xml' }],
	...(
		[
			['utf8Bom', 'utf-8', 'efbbbf3c3f'],
			['latin1', 'iso-8859-1', '3c3f786d6c'],
			['utf16le', 'utf-16', '3c003f0078'],
			['utf16leBom', 'utf-16', 'fffe3c003f'],
			['utf16be', 'utf-16', '003c003f00'],
			['utf16beBom', 'utf-16', 'feff003c00'],
		] as const
	).map(([xmlEncoding, name, start]): (typeof TABLE)[number] => [
		{ xmlEncoding },
		bytes,
		{ start, type: `application/xml; charset=${name}`, value: 'Łucznik ø' },
	]),
	// Callbacks
	[
		{ webhookShape: 'payload' },
		callback,
		[{ body: text(/^\{"payload":\{"job_id":"ID","download_url":"/) }],
	],
	[{ webhookShape: 'data' }, callback, [{ body: text(/^\{"data":\{"job_id":"ID","download_url":"/) }]],
	[{ webhookShape: 'job' }, callback, [{ body: text(/^\{"job":\{"job_id":"ID","status":"finished",/) }]],
	[{ webhookShape: 'bare' }, callback, [{ body: '{"job_id":"ID"}' }]],
	[{ webhookEncoding: 'form' }, callback, [{ body: text(/^job_id=ID&download_url=/) }]],
	[{ webhookEncoding: 'xml' }, callback, [{ body: text(/<job-id>ID<\/job-id>/) }]],
	[{ webhookEncoding: 'query' }, callback, [{ url: text(/\?run=7&job_id=ID&download_url=/), body: '' }]],
	[{ webhookDuplicates: 1 }, callback, [{ copy: 0 }, { copy: 1 }]],
	[{ webhookLossEvery: 1 }, callback, []],
	[{ webhookDelayMs: 61_000 }, callback, []],
];

function hits(type: string, price: string): unknown {
	return { search_results: Array<unknown>(6).fill({ type, [price]: some }) };
}

function offers(...first: Fields[]): unknown {
	return { offers: [...first, some, some, some, some] };
}

test.each(TABLE)('%j', async (options, asked, expected) => {
	expect({ reply: await asked() }).not.toMatchObject({ reply: expected });
	client.sandbox.reset();
	client.sandbox.setOptions(options);
	expect({ reply: await asked() }).toMatchObject({ reply: expected });
});

test('every choice is tried', () => {
	const tried = (name: string, choice: string) =>
		TABLE.some(([options]) => [(options as Fields)[name]].flat().includes(choice));
	const missing = Object.entries(CHOICES).flatMap(([name, [, ...others]]) =>
		others.filter((choice) => !tried(name, choice)).map((choice) => `${name}: ${choice}`),
	);
	const members = Object.entries(SETS).flatMap(([name, all]) =>
		all.filter((choice) => !tried(name, choice)).map((choice) => `${name}: ${choice}`),
	);
	expect([...missing, ...members]).toEqual([]);
});
