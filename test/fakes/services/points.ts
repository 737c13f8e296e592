import { CHOICES } from '../sandbox/options';
import type { SandboxOptions } from '../sandbox/options';

/**
 * The points that the service's document leaves open. Each says what the service may do there and what a user then
 * sets, so that any combination of choices is a usable service. The first choice is the default.
 */

export type Settings = Record<string, unknown>;

/** One thing that a service may do at one point. */
export interface Choice {
	options?: Partial<SandboxOptions>;
	/** Fields of the credential beyond address and key. */
	credential?: Settings;
	/** Lines of Field Names, in which the user names the fields of the service. */
	fieldNames?: string[];
	/** The format that the operations request. */
	format?: 'json' | 'xml';
}

type Choices = Record<string, Choice>;

/** Choices of a single option for which the user sets nothing. */
function values<K extends keyof SandboxOptions>(option: K, ...list: Array<SandboxOptions[K]>): Choices {
	return Object.fromEntries(list.map((value) => [String(value), { options: { [option]: value } }]));
}

/** A point for each option, with all its choices, for which the user sets nothing. */
function all(...options: Array<keyof typeof CHOICES>): Record<string, Choices> {
	return Object.fromEntries(
		options.map((option) => [
			option,
			Object.fromEntries(CHOICES[option].map((choice) => [choice, { options: { [option]: choice } }])),
		]),
	);
}

const ACCESS: Record<string, Choices> = {
	authentication: {
		token: { options: { authentication: ['query'] }, credential: { authentication: 'queryParameter' } },
		ownParameter: {
			options: { authentication: ['query'], authParameter: 'api_key' },
			credential: { authentication: 'queryParameter', parameterName: 'api_key' },
		},
		header: { options: { authentication: ['header'] }, credential: { authentication: 'header' } },
		ownHeader: {
			options: { authentication: ['header'], authHeader: 'x-shop-token' },
			credential: { authentication: 'header', headerName: 'X-Shop-Token' },
		},
		bearer: { options: { authentication: ['bearer'] }, credential: { authentication: 'bearer' } },
		basic: { options: { authentication: ['basic'] }, credential: { authentication: 'basic' } },
	},
	requestBody: {
		json: { options: { bodyEncodings: ['json'] }, credential: { requestBody: 'json' } },
		form: { options: { bodyEncodings: ['form'] }, credential: { requestBody: 'form' } },
	},
	formatSelection: {
		acceptHeader: {
			options: { formatSelection: ['accept'] },
			credential: { formatSelection: 'acceptHeader' },
		},
		pathSuffix: {
			options: { formatSelection: ['suffix'] },
			credential: { formatSelection: 'pathSuffix' },
		},
		queryParameter: {
			options: { formatSelection: ['parameter'], formatParameter: 'as' },
			credential: { formatSelection: 'queryParameter', formatParameter: 'as' },
		},
	},
	format: { json: { format: 'json' }, xml: { format: 'xml' } },
	lookupValues: {
		both: {},
		single: { options: { lookupValues: 'value' }, credential: { lookupValues: 'single' } },
		list: { options: { lookupValues: 'values' }, credential: { lookupValues: 'list' } },
		array: { options: { lookupValues: 'array' }, credential: { lookupValues: 'array' } },
		onlySingleFoundOut: { options: { lookupValues: 'value' } },
		onlyListFoundOut: { options: { lookupValues: 'values' } },
		onlyArrayFoundOut: { options: { lookupValues: 'array' } },
	},
};

const JOBS: Record<string, Choices> = {
	...all('jobIdFormat', 'envelope', 'envelopeFlag', 'cancelReply', 'usageShape', 'statusReply'),
	...all('runningResults', 'reasonField'),
	createReply: {
		...values('createReply', 'minimal', 'job', 'jobAndCredits'),
		notSuccess: { options: { createReply: 'notSuccess', createStatus: 201 } },
		accepted: { options: { createStatus: 202 } },
	},
	statusLag: { none: {}, some: { options: { statusLagMs: 5_000, listLagMs: 5_000 } } },
	statusDelay: { none: {}, some: { options: { statusDelayMs: 20_000 } } },
	earlyDownload: {
		refuse: {},
		withoutResults: { options: { earlyDownload: 'withoutResults' } },
		emptyResults: { options: { earlyDownload: 'emptyResults' } },
		emptyResults202: { options: { earlyDownload: 'emptyResults', earlyDownloadStatus: 202 } },
		large: { options: { earlyDownload: 'large' } },
		large202: { options: { earlyDownload: 'large', earlyDownloadStatus: 202 } },
		...values('earlyDownload', 'soFar', 'soFarBare', 'noContent', 'notFound', 'emptyArray'),
	},
	/** Results that come after the end of their job. An empty list counts if it is repeated after half a minute. */
	lateResults: {
		never: {},
		...Object.fromEntries(
			CHOICES.lateResults.map((lateResults) => [
				lateResults,
				{ options: { lateResults, resultsDelayMs: 25_000 } },
			]),
		),
	},
};

const words = (text: string) => text.split(' ');

/** The words for the ends of jobs, and how a job ends: `end` comes last, because it may replace the word. */
const ENDS: Record<string, Choices> = {
	...all('statusCase'),
	workingWord: values('workingSpelling', ...words('working compressing in_progress')),
	finishedWord: values(
		'finishedSpelling',
		...words('finished completed complete done success succeeded ready timed_out timeout partial'),
	),
	failedWord: values('failedSpelling', ...words('failed failure error errored aborted expired rejected')),
	cancelledWord: values('cancelledSpelling', 'cancelled', 'canceled'),
	end: {
		finished: {},
		partial: { options: { partialEnds: true } },
		failed: { options: { jobEnd: 'failed' } },
		failedServed: { options: { jobEnd: 'failed', endedDownload: 'serve' } },
		failedPartial: { options: { jobEnd: 'failed', endedDownload: 'serve', partialEnds: true } },
		cancelled: { options: { jobEnd: 'cancelled' } },
		cancelledPartial: { options: { jobEnd: 'cancelled', endedDownload: 'serve', partialEnds: true } },
		ownFinished: {
			options: { finishedSpelling: 'wrapped_up' },
			credential: { finishedStatuses: 'delivered, wrapped_up' },
		},
		ownFailed: {
			options: { jobEnd: 'failed', failedSpelling: 'gave_up' },
			credential: { failedStatuses: 'Gave-Up' },
		},
	},
};

/** The names that a meaning may have; the first is from the document or the recordings. */
const named = (meaning: string, ...names: string[]): Choices =>
	Object.fromEntries(
		names.map((name, at) => [name, at === 0 ? {} : { options: { names: { [meaning]: name } } }]),
	);

/** A name that is in no document, recording or other service, so that the user must enter it. */
const told = (meaning: string, name: string): Choices => ({
	[name]: { options: { names: { [meaning]: name } }, fieldNames: [`${meaning}: ${name}`] },
});

const NAMES: Record<string, Choices> = {
	...all('fieldSpelling'),
	nesting: {
		none: {},
		price: { options: { nesting: ['price'] } },
		shop: { options: { nesting: ['shop'] } },
		category: { options: { nesting: ['category'] } },
		product: { options: { nesting: ['product'] } },
		several: { options: { nesting: ['price', 'shop', 'product'] } },
	},
	jobIdName: named('jobId', 'job_id', 'id'),
	statusName: named('status', 'status', 'state'),
	reasonName: named('reason', 'reason', 'error', 'message', 'errors', 'detail'),
	nameName: named('name', 'name', 'title'),
	priceName: { ...named('price', 'price', 'min_price'), ...told('price', 'amount_due') },
	totalName: {
		...named('total', 'price_with_shipping', 'total_price', 'total'),
		...told('total', 'cost_total'),
	},
	shippingName: {
		...named('shipping', ...words('shipping_costs shipping_cost shipping_price shipping')),
		...told('shipping', 'freight'),
	},
	currencyName: named('currency', 'currency', 'currency_code', 'price_currency'),
	conditionName: {
		...named('condition', 'condition_text', 'condition'),
		...told('condition', 'state_of_item'),
	},
	shopName: {
		...named('shop', ...words('shop_name shop seller merchant store vendor')),
		...told('shop', 'dealer'),
	},
	availabilityName: named('availability', 'availability_text', 'availability', 'stock', 'in_stock'),
	authorName: named('author', 'author_name', 'author', 'user'),
	dateName: named('date', 'created_at', 'date', 'published_at'),
	ratingName: named('rating', 'rating', 'stars', 'score'),
	hitsName: named('hits', 'search_results', 'hits'),
	ranksName: named('ranks', 'bestsellers', 'ranks'),
};

/** A list in pages of two, unless `options` say otherwise, and what a user sets for it. */
const listed = (options: Partial<SandboxOptions> = {}, credential: Settings = {}): Choice => ({
	options: { listMaxPageSize: 2, ...options },
	credential,
});
const CURSOR: Partial<SandboxOptions> = { listPaging: 'cursor', listSays: ['cursor', 'hasMore'] };

const LISTS: Record<string, Choices> = {
	...all('listShape', 'listOrder'),
	listWay: {
		pages: listed(),
		offset: listed(
			{ listPaging: 'offset', listPageParameter: 'skip', listSays: ['offset', 'total'] },
			{ pagination: 'offset', pageParameter: 'skip' },
		),
		fromZero: listed({ listFirstPage: 0 }, { firstPage: 0 }),
		ignored: { options: { listPaging: 'ignored' } },
		repeatLast: listed({ listPaging: 'repeatLast' }),
		refuse404: listed({ listPaging: 'refuse' }),
		refuse400: listed({ listPaging: 'refuse', refusalStatuses: { 'page not found': 400 } }),
		ownNames: listed(
			{ listPageParameter: 'p', listPageSizeParameter: 'limit' },
			{ pageParameter: 'p', pageSizeParameter: 'limit' },
		),
		cursor: listed(CURSOR, { pagination: 'cursor', cursorParameter: 'cursor' }),
		cursorOwnName: listed(
			{ listPaging: 'cursor', listSays: ['cursor'], listCursorParameter: 'after' },
			{ pagination: 'cursor', cursorParameter: 'after' },
		),
		cursorUnannounced: listed(CURSOR),
		cursorLink: listed({ listPaging: 'cursor', listSays: ['link'] }),
		pagesAndTotal: listed({ listSays: ['total', 'pages', 'hasMore'] }),
		pagesAndLink: listed({ listSays: ['link'] }),
		noneAskedFor: {
			options: { listPaging: 'ignored', listSays: ['total'] },
			credential: { pagination: 'none' },
		},
	},
	listEntries: {
		whole: {},
		bare: { options: { listFields: [] } },
		odd: { options: { listOddEntries: true } },
		everything: {
			options: { listFields: ['order', 'values', 'counters', 'times', 'webhookUrl'] },
		},
	},
};

const RESULTS: Record<string, Choices> = {
	...all(
		'resultsOrder',
		'resultQuery',
		'resultMetadata',
		'resultSuccess',
		'resultReason',
		'oddResults',
		'valueEcho',
		'notFoundContent',
		'productContent',
		'searchHits',
	),
	resultsIn: {
		download: {},
		statusAndEmptyDownload: { options: { resultsIn: 'status', emptyDownload: 'emptyList' } },
		statusAndNullDownload: { options: { resultsIn: 'status', emptyDownload: 'null' } },
		statusAndBareDownload: { options: { resultsIn: 'status', emptyDownload: 'absent' } },
		both: { options: { resultsIn: 'both' } },
	},
	resultContent: values('resultContent', 'content', 'Content'),
	resultComment: values('resultComment', '', 'price incl. VAT'),
	contentShape: {
		...values('contentShape', 'plain', 'text', 'exactNumbers'),
		listInObject: {
			options: { contentShape: 'listInObject' },
			fieldNames: ['offers', 'hits', 'reviews', 'ranks'].map((list) => `${list}: list.entries`),
		},
	},
	extraResults: values('extraResults', 0, 2),
	topicEcho: { asSent: {}, other: { options: { topicEcho: { search: 'search_results' } } } },
	metadataExtras: values('metadataExtras', false, true),
	offerTraits: {
		none: {},
		nullPrices: { options: { offerTraits: ['nullPrices'] } },
		usedAndUnknownShipping: { options: { offerTraits: ['used', 'unknownShipping'] } },
		currenciesAndOwnShop: { options: { offerTraits: ['mixedCurrencies', 'ownShop'] } },
	},
};

const XML: Record<string, Choices> = {
	...all('xmlRoot', 'xmlNil', 'xmlDeclaration'),
	xmlIndent: values('xmlIndent', true, false),
	xmlEncoding: {
		utf8: {},
		utf8Bom: { options: { xmlEncoding: 'utf8Bom' } },
		...Object.fromEntries(
			(['latin1', 'utf16leBom', 'utf16beBom'] as const).flatMap(
				(xmlEncoding): Array<[string, Choice]> => [
					[xmlEncoding, { options: { xmlEncoding } }],
					[`${xmlEncoding}Undeclared`, { options: { xmlEncoding, charset: 'omitted' } }],
				],
			),
		),
	},
};

const TRANSPORT: Record<string, Choices> = {
	...all('refusalStyle', 'compression', 'dateHeader'),
	contentType: {
		right: {},
		none: { options: { contentType: 'none' } },
		text: { options: { contentType: 'text/plain' } },
		ascii: { options: { contentType: 'text/plain; charset=us-ascii' } },
		latin1: { options: { contentType: 'application/octet-stream; charset=iso-8859-1' } },
		utf16: { options: { contentType: 'text/plain; charset=utf-16' } },
	},
	downloadRedirect: {
		none: {},
		sameOrigin: { options: { downloadRedirect: 'sameOrigin' } },
		otherOrigin: { options: { downloadRedirect: 'otherOrigin' } },
	},
};

/** Every open point with its choices. */
export const POINTS: Record<string, Choices> = {
	...ACCESS,
	...JOBS,
	...ENDS,
	...LISTS,
	...RESULTS,
	...NAMES,
	...XML,
	...TRANSPORT,
};
