/** The options of the sandbox that choose among shapes. */

/** One of these; the first is the default. */
export const CHOICES = {
	/** A job whose values are all in the cache takes its time, or is over as soon as it is created. */
	cachedJobs: ['likeOthers', 'finishedAtOnce'],
	/** Body of a successful cancel. */
	cancelReply: ['minimal', 'job', 'success', 'empty'],
	/** Whether the Content-Type of XML names the encoding. */
	charset: ['stated', 'omitted'],
	/** Used on every reply to a client that accepts it. */
	compression: ['none', 'gzip', 'deflate', 'br'],
	/** A content with its main list where nobody looks for it, a mere text, or one with numbers no double can hold. */
	contentShape: ['plain', 'listInObject', 'text', 'exactNumbers'],
	/** Spelling of the country codes that a create takes; any other is an unsupported country. Echoed as sent. */
	countryCase: ['lower', 'any', 'upper'],
	/**
	 * Reply to a create: job_id, status and requested, the whole job object, nothing at all, a list of one,
	 * `{ job, credits }`, `success: false` beside the new job, or HTTP 408 though the job exists.
	 */
	createReply: ['minimal', 'job', 'empty', 'list', 'jobAndCredits', 'notSuccess', 'timedOut'],
	/** The header Date of every reply; `dateSkewMs` moves it as well. */
	dateHeader: ['right', 'absent', 'dayBehind', 'dayAhead'],
	/** What is sent when no format is asked for. */
	defaultFormat: ['json', 'xml'],
	/** Whether a download is answered by a redirect to a pre-rendered file, and where that file is. */
	downloadRedirect: ['none', 'sameOrigin', 'otherOrigin'],
	/**
	 * Download of a job that is not finished: a refusal, or `earlyDownloadStatus` and a body without results,
	 * with an empty list of them, with a running job of more than 9 KB, with the results so far, or with nothing but these;
	 * HTTP 204, the refusal "not found", or HTTP 200 and a bare empty list.
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
	/** `results` of a download where only the status has them. */
	emptyDownload: ['emptyList', 'null', 'absent'],
	/** Download of a job that failed or was cancelled: a refusal, or what was collected until then. */
	endedDownload: ['refuse', 'serve'],
	/** What single objects are wrapped in; `request`: in `data`, beside an ID and a status of the request. */
	envelope: ['none', 'data', 'job', 'result', 'response', 'request'],
	/** A field beside the data of every good reply that is an object. */
	envelopeFlag: ['none', 'error0', 'successTrue', 'successText', 'successOne'],
	/** Spelling of the names of fields in jobs, results and refusals. */
	fieldSpelling: ['snake', 'camel', 'dash', 'pascal'],
	/** How a GTIN comes back in `query.value`. */
	gtinEcho: ['padded', 'stripped', 'asSent'],
	/** How jobs end when their time has come; `cancelled`: somebody else has cancelled it. */
	jobEnd: ['finished', 'failed', 'cancelled'],
	jobIdFormat: ['hex', 'uuid', 'number', 'odd'],
	/**
	 * created_at, terminated_at and downloaded_at of jobs: in UTC, in the local time of `zoneMinutes` with a Z or without any
	 * zone, or not at all.
	 */
	jobTimes: ['utc', 'localWithZ', 'withoutZone', 'absent'],
	/**
	 * Download of a finished job while `resultsDelayMs` lasts: the refusal "not finished", an empty list of results, the
	 * refusal "not found", HTTP 204, the refusal "results are being written" (HTTP 409), or job_id and status alone.
	 */
	lateResults: ['refuse', 'emptyResults', 'notFound', 'noContent', 'conflict', 'noResults'],
	/**
	 * Which of max_pages, max_age, sort_by, condition, shipping and timeout the list shows in `parameters`: all, defaults
	 * included, only those that were sent, or only those off their default.
	 */
	listDefaults: ['sentOnly', 'all', 'changedOnly'],
	listOrder: ['newest', 'oldest', 'shuffled'],
	/**
	 * `ignored`: always everything; `capped`: the first `listMaxPageSize`, whatever page is asked for; past the end
	 * `repeatLast` page again, or `refuse`; `cursor`: no page numbers; `offset`: `listPageParameter` skips so many.
	 */
	listPaging: ['pages', 'ignored', 'capped', 'repeatLast', 'refuse', 'cursor', 'offset'],
	listShape: ['data', 'jobs', 'array', 'items', 'dataJobs'],
	/** What a create may use: `value` and `values` in any form, `value`, `values` as text, `values` as a list (`values[]`). */
	lookupValues: ['both', 'value', 'values', 'array'],
	/** Content of a lookup that found nothing; `reason`: success false with the reason "not found". */
	notFoundContent: ['null', 'emptyArray', 'emptyList', 'reason'],
	/** Which results have the oddities of `resultQuery`, `resultMetadata`, `resultSuccess` and `resultReason`. */
	oddResults: ['every', 'second'],
	/** Content of a product: as its source has it, a buybox without offers, or a mere price. */
	productContent: ['bySource', 'buyboxOnly', 'priceOnly'],
	/** Where a failed or cancelled job says why: in `reason`, or in `failure: { detail }`. */
	reasonField: ['reason', 'failure'],
	/** `ok`: refusals come as HTTP 200 with `success: false`. */
	refusalStyle: ['status', 'ok'],
	/**
	 * Where a result has what was collected; a list or a text is never put among its other fields. `flat`: among these;
	 * `beside`: likewise, with a `content` that is null.
	 */
	resultContent: ['content', 'data', 'Content', 'flat', 'beside'],
	/** Metadata and query of a result may come as another language's empty map, or not at all. */
	resultMetadata: ['object', 'emptyList', 'null', 'absent'],
	resultQuery: ['object', 'emptyList', 'null', 'absent'],
	resultReason: ['text', 'object', 'list'],
	resultSuccess: ['boolean', 'text', 'number', 'null', 'absent'],
	/** Where the results of a job are. */
	resultsIn: ['download', 'status', 'both'],
	resultsOrder: ['asAsked', 'reversed', 'shuffled'],
	/** Retry-After of the service's own "too many requests" and of a creation beyond `maxOpenJobs`. */
	retryAfter: ['none', 'seconds', 'date'],
	/** `soFar`: the status of a running job shows results for the first half of its values, wherever its results are later. */
	runningResults: ['none', 'soFar'],
	/** Hits of a search: of all kinds, or of one. */
	searchHits: ['mixed', 'offers', 'clusters', 'products'],
	/** The last three write a status of two words with a dash, a blank or a capital between them. */
	statusCase: ['lower', 'upper', 'capitalised', 'dash', 'blank', 'camel'],
	statusReply: ['job', 'withResults', 'minimal'],
	/** Names, shops and prices of products: with every odd character and any price, or as they are in shops. */
	texts: ['awkward', 'everyday'],
	/** What becomes of a create with a parameter that the document does not have. */
	unknownParameters: ['refuse', 'ignore'],
	usageShape: ['flat', 'nested', 'array'],
	/** How lookup values come back; `gtinEcho` decides before it. `underKey`: `{ "gtin": … }` instead of `value`. */
	valueEcho: ['asSent', 'lowerCase', 'plain', 'padded', 'underKey', 'nothing'],
	webhookEncoding: ['json', 'form', 'xml', 'query'],
	xmlDeclaration: ['plain', 'afterBlankLine', 'none'],
	xmlEncoding: ['utf8', 'utf8Bom', 'latin1', 'utf16leBom', 'utf16beBom'],
	/** How null is written. */
	xmlNil: ['nil', 'empty', 'absent'],
	/** Of a download; `hash` is that of all other replies. */
	xmlRoot: ['results', 'hash'],
} as const;

/** Any of these. */
export const SETS = {
	authentication: ['query', 'body', 'header', 'bearer', 'basic'],
	bodyEncodings: ['json', 'form', 'query'],
	formatSelection: ['accept', 'suffix', 'parameter'],
	/** Parts of a job object beyond job_id and status, in the status and in the long replies. */
	jobFields: ['order', 'values', 'counters', 'times', 'webhookUrl'],
	/** The same in the list of jobs. */
	listFields: ['order', 'values', 'counters', 'times', 'webhookUrl'],
	/** What a page of the list says about how it goes on; `link` is a header. */
	listSays: ['total', 'pages', 'hasMore', 'cursor', 'offset', 'link'],
	/**
	 * How the list spells what a job is about: source, country and topic in capitals; `keyword` for the key term; values in
	 * lower case, without accents and punctuation, as one text with commas, cut after six characters, only the first one;
	 * `requested` as the number of pages; source, topic and country as `numbers` (17, 3, 49), the source as three letters (AMZ).
	 */
	listSpelling: [
		...(['capitals', 'keyword', 'lowerCase', 'plain', 'joined', 'cut', 'firstOnly', 'pages'] as const),
		...(['numbers', 'shortSource'] as const),
	],
	/** What is an object: prices and costs `{ amount, currency }`, shop and category `{ name }`, a content `{ product }`. */
	nesting: ['price', 'shop', 'category', 'product'],
	/** What makes offers hard to compare. */
	offerTraits: ['used', 'nullPrices', 'mixedCurrencies', 'unknownShipping', 'ownShop'],
	/** What a create must say besides its topic. */
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
