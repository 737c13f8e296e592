/**
 * Every switch of the sandbox. Where the service's document leaves a point open, the default is the
 * document's own wording or the best documented practice, and the other choices stand beside it.
 */

/** One of these; the first is the default. */
export const CHOICES = {
	/** Body of a successful cancel. */
	cancelReply: ['minimal', 'job', 'success', 'empty'],
	/** Reply to a create: job_id, status and requested, or the whole job object. */
	createReply: ['minimal', 'job'],
	/** What is sent when no format is asked for. */
	defaultFormat: ['json', 'xml'],
	/** Whether a download is answered by a redirect to a pre-rendered file, and where that file is. */
	downloadRedirect: ['none', 'sameOrigin', 'otherOrigin'],
	/** Download of a job that is not finished: a refusal, or HTTP 200 and a body without results. */
	earlyDownload: ['refuse', 'withoutResults'],
	/** How a GTIN comes back in `query.value`. */
	gtinEcho: ['padded', 'stripped', 'asSent'],
	/** What makes a GTIN valid: up to 14 digits, or the check digit too. */
	gtinValidation: ['length', 'checkDigit'],
	/** An invalid value refuses the create, or fails its own result. */
	invalidValues: ['refuse', 'result'],
	jobIdFormat: ['hex', 'uuid', 'number', 'odd'],
	/** What the retired address does. */
	legacyReply: ['gone', 'html', 'reset', 'redirect'],
	listOrder: ['newest', 'oldest', 'shuffled'],
	/** `ignored`: always everything; `repeatLast`: past the end the last page again. */
	listPaging: ['pages', 'ignored', 'repeatLast'],
	listShape: ['data', 'jobs', 'array'],
	/** Which of `value` and `values` a create may use. */
	lookupValues: ['both', 'value', 'values'],
	/** Content of a lookup that found nothing; `reason`: success false with the reason "not found". */
	notFoundContent: ['null', 'emptyArray', 'emptyList', 'reason'],
	/** `ok`: refusals come as HTTP 200 with `success: false`. */
	refusalStyle: ['status', 'ok'],
	resultsOrder: ['asAsked', 'reversed', 'shuffled'],
	/** Retry-After of the service's own "too many requests". */
	retryAfter: ['none', 'seconds', 'date'],
	statusReply: ['job', 'withResults', 'minimal'],
	/** A create with a parameter that no one knows. */
	unknownParameters: ['refuse', 'ignore'],
	usageShape: ['flat', 'nested', 'array'],
	webhookEncoding: ['json', 'form', 'xml', 'query'],
	/** Flat `{ job_id, download_url }`, an envelope, or only `{ job_id }`. */
	webhookShape: ['flat', 'payload', 'job', 'data', 'bare'],
	xmlRoot: ['hash', 'results'],
} as const;

/** Any of these. */
export const SETS = {
	authentication: ['query', 'body', 'header', 'bearer', 'basic'],
	bodyEncodings: ['json', 'form', 'query'],
	formatSelection: ['accept', 'suffix', 'parameter'],
	/** How `values` may come: newline-separated, or a JSON array. */
	valuesForms: ['string', 'array'],
} as const;

type Choices = { -readonly [K in keyof typeof CHOICES]: (typeof CHOICES)[K][number] };
type Sets = { -readonly [K in keyof typeof SETS]: Array<(typeof SETS)[K][number]> };

const SET_DEFAULTS: Sets = {
	authentication: ['query', 'body'],
	bodyEncodings: ['json', 'form', 'query'],
	formatSelection: ['accept', 'suffix', 'parameter'],
	valuesForms: ['string', 'array'],
};

/** Numbers, texts, yes or no, lists and maps; durations are milliseconds. */
const PLAIN = {
	host: '127.0.0.1',
	/** 0 takes a free port. The two other listeners always take free ones unless given. */
	port: 0,
	legacyPort: 0,
	otherOriginPort: 0,
	/** Path in front of everything, for example `/api`. Fixed at the start. */
	pathPrefix: '',
	/** Time stands still and moves only by `advance`. Fixed at the start. */
	manualClock: false,
	/** Waited before any request is handled. */
	latencyMs: 0,
	requestLogLimit: 20_000,

	apiKey: 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM',
	/** A second account: its jobs are forbidden to the first, and the other way round. */
	secondApiKey: 'SANDBOXOTHERMNBVCXYLKJHGFDSAPOIUZTREWQ',
	/** For `basic`; the account is the first one. */
	username: 'sandbox',
	password: 'sandbox-password',
	authParameter: 'token',
	authHeader: 'x-api-key',
	/** Value of WWW-Authenticate on a 401; empty sends none. */
	wwwAuthenticate: '',

	formatParameter: 'format',
	/** Sent instead of the true Content-Type; empty tells the truth, `none` sends none. */
	contentType: '',
	/** `type="symbol"` on the status in XML. */
	statusSymbol: true,
	xmlIndent: true,

	topics: ['product_and_offers', 'search', 'reviews', 'bestsellers', 'search_results', 'product', 'offers'],
	/** Topic sent → topic echoed, for example `{ "search": "search_results" }`. */
	topicEcho: {} as Record<string, string>,
	/** Lookup keys accepted beyond those of the topic, for example `asin`. */
	extraKeys: [] as string[],
	requiredParameters: ['topic', 'source', 'country', 'key', 'value'],
	acceptHyphenSources: false,
	disabledSources: [] as string[],
	disabledKeys: [] as string[],
	maxValues: 1000,

	/** From creation to `finished`, without the time per value. */
	jobDurationMs: 300,
	valueDurationMs: 0,
	/** False: jobs go on until `finishJob`, a cancel or their timeout. */
	autoFinish: true,
	/** What one minute of a job's `timeout` lasts here. */
	timeoutMinuteMs: 60_000,
	retentionMs: 72 * 3_600_000,
	/** Statuses nobody has heard of, shown in the second half of `working`. */
	extraStatuses: [] as string[],
	cancelledSpelling: 'cancelled',
	/** `tag` and `page_count_requested` in the metadata. */
	metadataExtras: false,
	/** Every download is filled up with results to this size. */
	downloadMegabytes: 0,

	/** HTTP status per reason, for example `{ "unauthorized": 403 }`. */
	refusalStatuses: {} as Record<string, number>,
	/** Status of the retired version 1 paths. */
	retiredStatus: 410,
	/** Status requests per key and minute; 0 is no limit (documented: 60). */
	statusRateLimit: 0,
	rateWindowMs: 60_000,
	freeCredits: 100_000,
	paidCredits: 0,
	/** Credits per day; 0 is no quota. */
	dailyQuota: 0,

	listPageParameter: 'page',
	listPageSizeParameter: 'per_page',
	listDefaultPageSize: 25,
	listMaxPageSize: 100,
	/** `page`, `per_page` and `total` beside the jobs. */
	listPagingFields: false,

	webhookUrlParameter: 'webhook_url',
	webhookMethodParameter: 'webhook_method',
	webhookOnCancel: false,
	/** Name of the download address in the body; some call it `job_download_url`. */
	webhookUrlField: 'download_url',
	webhookDelayMs: 0,
	/** More deliveries after the first, whatever it was answered with. */
	webhookDuplicates: 0,
	/** More attempts when the answer was not a 2xx. */
	webhookRetries: 0,
	webhookRetryDelayMs: 100,
	webhookTimeoutMs: 10_000,
};

export type SandboxOptions = Choices & Sets & typeof PLAIN;

/** A fresh set of default options. */
export function defaultOptions(): SandboxOptions {
	const firsts = Object.fromEntries(Object.entries(CHOICES).map(([name, list]) => [name, list[0]]));
	return { ...structuredClone(PLAIN), ...structuredClone(SET_DEFAULTS), ...(firsts as Choices) };
}

const DEFAULTS = defaultOptions() as Record<string, unknown>;

function problem(name: string, value: unknown): string | undefined {
	const wanted = DEFAULTS[name];
	if (wanted === undefined) return `there is no option "${name}"`;
	const choices: readonly unknown[] | undefined = (CHOICES as Record<string, readonly unknown[]>)[name];
	if (choices && !choices.includes(value)) return `"${name}" is one of ${choices.join(', ')}`;
	if (Array.isArray(wanted)) {
		if (!Array.isArray(value)) return `"${name}" is a list`;
		const set: readonly unknown[] | undefined = (SETS as Record<string, readonly unknown[]>)[name];
		if (set && !value.every((entry) => set.includes(entry))) return `"${name}" holds ${set.join(', ')}`;
		return undefined;
	}
	return typeof value === typeof wanted && value !== null ? undefined : `"${name}" is a ${typeof wanted}`;
}

/** Puts `changes` into `options`; an unknown name or a wrong kind of value throws and changes nothing. */
export function applyOptions(options: SandboxOptions, changes: object): void {
	for (const [name, value] of Object.entries(changes)) {
		const wrong = problem(name, value);
		if (wrong) throw new RangeError(`Sandbox options: ${wrong}`);
	}
	Object.assign(options, changes);
}

/** An option written as text (a flag, an environment variable) in its own kind. */
export function optionFromText(name: string, text: string): unknown {
	const wanted = DEFAULTS[name];
	if (typeof wanted === 'number') return Number(text);
	if (typeof wanted === 'boolean') return !['false', '0', 'no', 'off'].includes(text.toLowerCase());
	if (Array.isArray(wanted)) return text.split(',').filter((entry) => entry !== '');
	return typeof wanted === 'object' ? JSON.parse(text) : text;
}
