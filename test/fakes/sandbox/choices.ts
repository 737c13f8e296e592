/** The options of the sandbox that have a fixed set of values. */

/** One of these; the first is the default. */
export const CHOICES = {
	/** Whether a job whose values are all in the cache takes as long as others or finishes at once. */
	cachedJobs: ['likeOthers', 'finishedAtOnce'],
	/** Body of a successful cancel. */
	cancelReply: ['minimal', 'job', 'success', 'empty'],
	/** Whether the Content-Type of XML names the encoding. */
	charset: ['stated', 'omitted'],
	/** Used on every reply to a client that accepts it. */
	compression: ['none', 'gzip', 'deflate', 'br'],
	/** The usual content, its main list inside an object, a plain text, or numbers too long for a double. */
	contentShape: ['plain', 'listInObject', 'text', 'exactNumbers'],
	/** Case of the country codes that a create accepts; others are an unsupported country. Echoed as sent. */
	countryCase: ['lower', 'any', 'upper'],
	/**
	 * Reply to a create: job_id, status and requested; the whole job object; an empty body; a list of one;
	 * `{ job, credits }`; `success: false` beside the new job; or HTTP 408 although the job exists.
	 */
	createReply: ['minimal', 'job', 'empty', 'list', 'jobAndCredits', 'notSuccess', 'timedOut'],
	/** The Date header of every reply; `dateSkewMs` shifts it too. */
	dateHeader: ['right', 'absent', 'dayBehind', 'dayAhead'],
	/** The format of a reply if the request does not name one. */
	defaultFormat: ['json', 'xml'],
	/** Whether a download redirects to a pre-rendered file, and where that file is. */
	downloadRedirect: ['none', 'sameOrigin', 'otherOrigin'],
	/**
	 * Download of an unfinished job: a refusal; `earlyDownloadStatus` with a body without results, with an empty list
	 * of results, with a running job of more than 9 KB, with the results so far, or with only these; HTTP 204; the
	 * refusal "not found"; or HTTP 200 with a bare empty list.
	 */
	earlyDownload: [
		'refuse',
		'withoutResults',
		'emptyResults',
		'large',
		'soFar',
		'soFarBare',
		'noContent',
		'notFound',
		'emptyArray',
	],
	/** `results` of a download if only the status has the results. */
	emptyDownload: ['emptyList', 'null', 'absent'],
	/** Download of a job that failed or was cancelled: a refusal, or what was collected until then. */
	endedDownload: ['refuse', 'serve'],
	/** The field around single objects; `request` uses `data`, beside the request's ID and status. */
	envelope: ['none', 'data', 'job', 'result', 'response', 'request'],
	/** A field beside the data of every successful reply that is an object. */
	envelopeFlag: ['none', 'error0', 'successTrue', 'successText', 'successOne'],
	/** Spelling of field names in jobs, results and refusals. */
	fieldSpelling: ['snake', 'camel', 'dash', 'pascal'],
	/** How a GTIN comes back in `query.value`. */
	gtinEcho: ['padded', 'stripped', 'asSent'],
	/** How jobs end when their time is up; `cancelled`: somebody else has cancelled them. */
	jobEnd: ['finished', 'failed', 'cancelled'],
	jobIdFormat: ['hex', 'uuid', 'number', 'odd'],
	/**
	 * created_at, terminated_at and downloaded_at of jobs: in UTC, in the local time of `zoneMinutes` with a Z or
	 * without a zone, or absent.
	 */
	jobTimes: ['utc', 'localWithZ', 'withoutZone', 'absent'],
	/**
	 * Download of a finished job while `resultsDelayMs` lasts: the refusal "not finished", an empty list of results,
	 * the refusal "not found", HTTP 204, the refusal "results are being written" (HTTP 409), or only job_id and status.
	 */
	lateResults: ['refuse', 'emptyResults', 'notFound', 'noContent', 'conflict', 'noResults'],
	/**
	 * Which of max_pages, max_age, sort_by, condition, shipping and timeout the list shows in `parameters`: the ones
	 * that were sent, all of them including defaults, or the ones that differ from their default.
	 */
	listDefaults: ['sentOnly', 'all', 'changedOnly'],
	listOrder: ['newest', 'oldest', 'shuffled'],
	/**
	 * `ignored`: always everything. `capped`: always the first `listMaxPageSize`. Past the end, `repeatLast` repeats
	 * the last page and `refuse` refuses. `cursor`: without page numbers. `offset`: `listPageParameter` is the number
	 * of jobs to skip.
	 */
	listPaging: ['pages', 'ignored', 'capped', 'repeatLast', 'refuse', 'cursor', 'offset'],
	listShape: ['data', 'jobs', 'array', 'items', 'dataJobs'],
	/** A create accepts `value` and any `values`, only `value`, only a text `values`, or only a list (`values[]`). */
	lookupValues: ['both', 'value', 'values', 'array'],
	/** Content of a lookup that found nothing; `reason`: success false with the reason "not found". */
	notFoundContent: ['null', 'emptyArray', 'emptyList', 'reason'],
	/** Which results `resultQuery`, `resultMetadata`, `resultSuccess` and `resultReason` affect. */
	oddResults: ['every', 'second'],
	/** Content of a product: the usual one of its source, a buybox without offers, or only a price. */
	productContent: ['bySource', 'buyboxOnly', 'priceOnly'],
	/** Where a failed or cancelled job says why: in `reason`, or in `failure: { detail }`. */
	reasonField: ['reason', 'failure'],
	/** `ok`: refusals come as HTTP 200 with `success: false`. */
	refusalStyle: ['status', 'ok'],
	/**
	 * The field with a result's content. `flat`: the content's fields are among the result's; `beside`: likewise, with
	 * a `content` that is null. A list or a text stays in `content`.
	 */
	resultContent: ['content', 'data', 'Content', 'flat', 'beside'],
	/** Metadata and query of a result can also be an empty list (PHP's empty map), null or absent. */
	resultMetadata: ['object', 'emptyList', 'null', 'absent'],
	resultQuery: ['object', 'emptyList', 'null', 'absent'],
	resultReason: ['text', 'object', 'list'],
	resultSuccess: ['boolean', 'text', 'number', 'null', 'absent'],
	/** Which replies have a job's results. */
	resultsIn: ['download', 'status', 'both'],
	resultsOrder: ['asAsked', 'reversed', 'shuffled'],
	/** Retry-After in refusals by a rate limit and of a creation beyond `maxOpenJobs`; faults set their own. */
	retryAfter: ['none', 'seconds', 'date'],
	/** `soFar`: the status of a running job shows results for the first half of its values, whatever `resultsIn` is. */
	runningResults: ['none', 'soFar'],
	/** The kinds of hits in a search. */
	searchHits: ['mixed', 'offers', 'clusters', 'products'],
	/** The last three join a status of two words by a dash, a blank or a capital letter. */
	statusCase: ['lower', 'upper', 'capitalised', 'dash', 'blank', 'camel'],
	statusReply: ['job', 'withResults', 'minimal'],
	/** Names, shops and prices of products: with odd characters and arbitrary prices, or as in real shops. */
	texts: ['awkward', 'everyday'],
	/** How a create treats a parameter that is not in the document. */
	unknownParameters: ['refuse', 'ignore'],
	usageShape: ['flat', 'nested', 'array'],
	/** How lookup values are echoed, after `gtinEcho`. `underKey`: `{ "gtin": … }` instead of `value`. */
	valueEcho: ['asSent', 'lowerCase', 'plain', 'padded', 'underKey', 'nothing'],
	webhookEncoding: ['json', 'form', 'xml', 'query'],
	xmlDeclaration: ['plain', 'afterBlankLine', 'none'],
	xmlEncoding: ['utf8', 'utf8Bom', 'latin1', 'utf16leBom', 'utf16beBom'],
	/** How null is written. */
	xmlNil: ['nil', 'empty', 'absent'],
	/** Root element of a download; most other replies have `hash`. */
	xmlRoot: ['results', 'hash'],
} as const;

/** Any subset of these. */
export const SETS = {
	authentication: ['query', 'body', 'header', 'bearer', 'basic'],
	bodyEncodings: ['json', 'form', 'query'],
	formatSelection: ['accept', 'suffix', 'parameter'],
	/** Parts of a job object besides job_id and status, in the status and in other replies with the whole job. */
	jobFields: ['order', 'values', 'counters', 'times', 'webhookUrl'],
	/** The same in the list of jobs. */
	listFields: ['order', 'values', 'counters', 'times', 'webhookUrl'],
	/** What a page of the list says about the paging; `link` is a header. */
	listSays: ['total', 'pages', 'hasMore', 'cursor', 'offset', 'link'],
	/**
	 * How the list spells what a job is about: source, country and topic in capitals; `keyword` for the key term;
	 * values in lower case, without accents and punctuation, joined by commas, cut after six characters, or only the
	 * first one; `requested` as the number of pages; source, topic and country as `numbers` (17, 3, 49); the source as
	 * three letters (AMZ).
	 */
	listSpelling: [
		...(['capitals', 'keyword', 'lowerCase', 'plain', 'joined', 'cut', 'firstOnly', 'pages'] as const),
		...(['numbers', 'shortSource'] as const),
	],
	/** Prices and costs as `{ amount, currency }`, shop and category as `{ name }`, a content as `{ product }`. */
	nesting: ['price', 'shop', 'category', 'product'],
	/** What makes offers hard to compare. */
	offerTraits: ['used', 'nullPrices', 'mixedCurrencies', 'unknownShipping', 'ownShop'],
	/** The parameters that a create needs besides its topic. */
	requiredParameters: ['source', 'country', 'key'],
} as const;

export type Choices = { -readonly [K in keyof typeof CHOICES]: (typeof CHOICES)[K][number] };
export type Sets = { -readonly [K in keyof typeof SETS]: Array<(typeof SETS)[K][number]> };

export const SET_DEFAULTS: Sets = {
	authentication: ['query', 'body'],
	bodyEncodings: ['json', 'form', 'query'],
	formatSelection: ['accept', 'suffix', 'parameter'],
	jobFields: ['order', 'counters', 'times'],
	listFields: ['order', 'counters', 'times'],
	listSays: [],
	listSpelling: [],
	nesting: [],
	offerTraits: [],
	requiredParameters: ['source', 'country', 'key'],
};
