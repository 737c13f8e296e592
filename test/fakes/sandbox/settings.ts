/** Numbers, texts, yes or no, lists and maps; durations are milliseconds. */
export const SETTINGS = {
	/** 0 takes a free port. */
	port: 0,
	/** Time stands still and moves only by `advance`. Fixed at the start. */
	manualClock: false,
	/** HTTPS with a certificate that no authority has signed. Fixed at the start. */
	tls: false,
	/** Waited before any request is handled. */
	latencyMs: 0,
	/**
	 * How long a creation, also a refused one, waits for its answer on the sandbox's clock: a manual one must `advance` so far.
	 * The job exists from the arrival of the request on, and the answer shows it as it was then.
	 */
	createDelayMs: 0,
	/** How far ahead of the time the header Date of every reply is (negative: behind), as from the clock of a load balancer. */
	dateSkewMs: 0,
	requestLogLimit: 20_000,

	apiKey: 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM',
	/** Keys that the first account had before: its jobs from then are still its own. */
	formerApiKeys: [] as string[],
	/** A second account: its jobs are forbidden to the first, and the other way round. */
	secondApiKey: 'SANDBOXOTHERMNBVCXYLKJHGFDSAPOIUZTREWQ',
	/** For `basic`; the account is the first one. */
	username: 'sandbox',
	password: 'sandbox-password',
	authParameter: 'token',
	authHeader: 'x-api-key',

	formatParameter: 'format',
	/** Sent instead of the true Content-Type; empty tells the truth, `none` sends none. */
	contentType: '',
	xmlIndent: true,

	topics: ['product_and_offers', 'search', 'reviews', 'bestsellers'],
	/** Topic sent → topic echoed, for example `{ "search": "search_results" }`. */
	topicEcho: {} as Record<string, string>,
	maxValues: 1000,
	/** When set, more values than `maxValues` are refused with HTTP 422 and `{ success: false, error: … }` in these words. */
	tooManyWords: '',
	/**
	 * Names that a create must use instead of those of the document, for example `{ "source": "marketplace" }`, and words for
	 * keys, such as `{ "gtin": "ean" }`. Jobs and results have the fields of the document and these words for keys.
	 */
	parameterNames: {} as Record<string, string>,
	keyNames: {} as Record<string, string>,
	/** When set, a create takes this parameter, a text of the client's own; it is a field of the part `order` of a job. */
	labelParameter: '',

	/** From creation to `finished`. */
	jobDurationMs: 300,
	/** False: jobs go on until `finishJob`, a cancel or their timeout. */
	autoFinish: true,
	/** What one minute of a job's `timeout` lasts here. */
	timeoutMinuteMs: 60_000,
	retentionMs: 72 * 3_600_000,
	/** How long the results of a job are kept; then its download is refused. */
	resultsForMs: 72 * 3_600_000,
	workingSpelling: 'working',
	finishedSpelling: 'finished',
	failedSpelling: 'failed',
	cancelledSpelling: 'cancelled',
	/** What a failed job says of itself. */
	failureReason: 'the source blocked the job',
	/** What a cancelled job says of itself; empty: nothing. */
	endReason: '',
	/** Jobs end with results for the first half of their values only. */
	partialEnds: false,
	/** How far ahead the times of jobs are of the real ones. */
	clockSkewMs: 0,
	/** The zone of `jobTimes`, in minutes east of UTC. */
	zoneMinutes: -300,
	/** How much later the service itself tells of an end; callbacks come at once, and so too early. */
	statusDelayMs: 0,
	/** How long after its end a finished job has no results yet; `lateResults` says what its download answers. */
	resultsDelayMs: 0,
	/** How long a new job is "not found" by its id, and missing in the list. */
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
	 * What single values have of their own, GTINs with or without their zeros: a factor of all prices, the content itself,
	 * null where nothing is found, or the reason why the lookup fails. What only one source says is `source/value`, a GTIN
	 * without its zeros.
	 */
	market: {} as Record<string, number | string | object | null>,
	/** A remark in every result, such as `price incl. VAT`. */
	resultComment: '',
	/** Results for values that nobody asked for, after the others. */
	extraResults: 0,
	/** Name of the shop of `offerTraits: ownShop`. */
	ownShop: 'My Own Shop',

	/** HTTP status per reason, for example `{ "unauthorized": 403 }`. */
	refusalStatuses: {} as Record<string, number>,
	/** Status of a create that went well, unless its reply decides it. */
	createStatus: 200,
	/** Status of an early download that is not refused. */
	earlyDownloadStatus: 200,
	/** Status requests per key and minute; 0 is no limit (documented: 60). */
	statusRateLimit: 0,
	/** Creations per key and minute, refused ones too; 0 is no limit. */
	createRateLimit: 0,
	/** A creation while so many jobs of the account run is refused with HTTP 429 for this reason; 0 is no limit. */
	maxOpenJobs: 0,
	openJobsReason: 'too many open jobs',
	freeCredits: 100_000,

	listPageParameter: 'page',
	listPageSizeParameter: 'per_page',
	listMaxPageSize: 100,
	/** Number of the first page. */
	listFirstPage: 1,
	listCursorParameter: 'cursor',
	/** Name of the cursor that the list says; a dot leads one level down, as in `meta.next_cursor`. */
	listCursorField: 'next_cursor',
	/** `{}`, null and `{ "job_id": null }` among the jobs of every page. */
	listOddEntries: false,

	webhookUrlParameter: 'webhook_url',
	/** Whether there is a callback for a job that somebody else cancelled. */
	webhookForCancelled: false,
	webhookDelayMs: 0,
	/** More deliveries after the first, whatever it was answered with. */
	webhookDuplicates: 0,
	/** More attempts when the answer was not a 2xx. */
	webhookRetries: 0,
	webhookRetryDelayMs: 100,
	/** Every so many-th callback is lost on its way; 1 loses all, 0 none. */
	webhookLossEvery: 0,
	webhookTimeoutMs: 10_000,
};
