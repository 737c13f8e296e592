/** Options that are numbers, texts, booleans, lists or maps; durations are in milliseconds. */
export const SETTINGS = {
	/** 0 takes a free port. */
	port: 0,
	/** Time moves only by `advance`. Fixed at the start. */
	manualClock: false,
	/** HTTPS with a self-signed certificate. Fixed at the start. */
	tls: false,
	/** Delay before every request is handled. */
	latencyMs: 0,
	/**
	 * Delays the answer to a creation, even a refused one, on the sandbox's clock; a manual clock must `advance` that
	 * far. The job exists as soon as the request arrives, and the answer shows it as it was then.
	 */
	createDelayMs: 0,
	/** How far the Date header of every reply is ahead (negative: behind), like a load balancer's wrong clock. */
	dateSkewMs: 0,
	requestLogLimit: 20_000,

	apiKey: 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM',
	/** Former keys of the first account, which still owns the jobs created with them. */
	formerApiKeys: [] as string[],
	/** A second account. Neither account has access to the other's jobs. */
	secondApiKey: 'SANDBOXOTHERMNBVCXYLKJHGFDSAPOIUZTREWQ',
	/** For `basic`, as the first account. */
	username: 'sandbox',
	password: 'sandbox-password',
	authParameter: 'token',
	authHeader: 'x-api-key',

	formatParameter: 'format',
	/** Sent instead of the true Content-Type; empty sends the true one, `none` sends none. */
	contentType: '',
	xmlIndent: true,

	topics: ['product_and_offers', 'search', 'reviews', 'bestsellers'],
	/** Topic sent → topic echoed, for example `{ "search": "search_results" }`. */
	topicEcho: {} as Record<string, string>,
	maxValues: 1000,
	/** If set, more than `maxValues` values give HTTP 422 and `{ success: false, error: … }` with this text. */
	tooManyWords: '',
	/**
	 * Names that a create must use instead of the document's, for example `{ "source": "marketplace" }`, and words for
	 * keys, such as `{ "gtin": "ean" }`. Jobs and results keep the document's field names but use these words for keys.
	 */
	parameterNames: {} as Record<string, string>,
	keyNames: {} as Record<string, string>,
	/** If set, a create accepts this parameter with any text; a job shows it in the part `order`. */
	labelParameter: '',

	/** From creation to `finished`. */
	jobDurationMs: 300,
	/** False: jobs go on until `finishJob`, a cancel or their timeout. */
	autoFinish: true,
	/** What one minute of a job's `timeout` lasts here. */
	timeoutMinuteMs: 60_000,
	retentionMs: 72 * 3_600_000,
	/** How long after its creation a job keeps its results; after that its download is refused. */
	resultsForMs: 72 * 3_600_000,
	workingSpelling: 'working',
	finishedSpelling: 'finished',
	failedSpelling: 'failed',
	cancelledSpelling: 'cancelled',
	/** A failed job's reason. */
	failureReason: 'the source blocked the job',
	/** A cancelled job's reason; empty: none. */
	endReason: '',
	/** Jobs end with results for the first half of their values only. */
	partialEnds: false,
	/** How far the times of jobs are ahead of the real ones. */
	clockSkewMs: 0,
	/** The zone of `jobTimes`, in minutes east of UTC. */
	zoneMinutes: -300,
	/** How much later the service reports an end; callbacks come at once, and so too early. */
	statusDelayMs: 0,
	/** How long a finished job has no results yet; `lateResults` says what its download answers. */
	resultsDelayMs: 0,
	/** How long a new job is "not found" by its ID, and how long it is missing from the list. */
	statusLagMs: 0,
	listLagMs: 0,
	/** `tag` and `page_count_requested` in the metadata. */
	metadataExtras: false,
	/**
	 * Other names by meaning: jobId, status, reason; name, price, total, shipping, currency, condition, shop,
	 * availability, author, date, rating, hits, ranks. For example `{ "shop": "seller" }`.
	 */
	names: {} as Record<string, string>,
	/**
	 * Overrides for single values (GTINs with or without their zeros): a factor for all prices, the content, null if
	 * nothing is found, or the reason why the lookup fails. The key `source/value`, with a GTIN without its zeros, is
	 * for one source only.
	 */
	market: {} as Record<string, number | string | object | null>,
	/** A remark in every result, such as `price incl. VAT`. */
	resultComment: '',
	/** How many extra results to send for values that were not requested. */
	extraResults: 0,
	/** Name of the shop of `offerTraits: ownShop`. */
	ownShop: 'My Own Shop',

	/** HTTP status per reason, for example `{ "unauthorized": 403 }`. */
	refusalStatuses: {} as Record<string, number>,
	/** Status of a successful create, unless `createReply` decides it. */
	createStatus: 200,
	/** Status of an early download that is not refused. */
	earlyDownloadStatus: 200,
	/** Status requests per key and minute; 0 is no limit (documented: 60). */
	statusRateLimit: 0,
	/** Creations per key and minute, including refused ones; 0 is no limit. */
	createRateLimit: 0,
	/** While this many jobs of the account run, a creation is refused with HTTP 429 and this reason; 0 is no limit. */
	maxOpenJobs: 0,
	openJobsReason: 'too many open jobs',
	freeCredits: 100_000,

	listPageParameter: 'page',
	listPageSizeParameter: 'per_page',
	listMaxPageSize: 100,
	/** Number of the first page. */
	listFirstPage: 1,
	listCursorParameter: 'cursor',
	/** Field of the list with the next cursor; a dot leads one level down, as in `meta.next_cursor`. */
	listCursorField: 'next_cursor',
	/** `{}`, null and `{ "job_id": null }` among the jobs of every page. */
	listOddEntries: false,

	webhookUrlParameter: 'webhook_url',
	/** Whether there is a callback for a job that somebody else cancelled. */
	webhookForCancelled: false,
	webhookDelayMs: 0,
	/** More deliveries after the first, whatever its answer was. */
	webhookDuplicates: 0,
	/** More attempts when the answer was not a 2xx. */
	webhookRetries: 0,
	webhookRetryDelayMs: 100,
	/** Every n-th callback is lost on its way; 1 loses all, 0 none. */
	webhookLossEvery: 0,
	webhookTimeoutMs: 10_000,
};
