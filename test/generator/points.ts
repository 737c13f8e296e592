import { CHOICES } from '../sandbox/options';
import type { SandboxOptions } from '../sandbox/options';

/**
 * The points that the service's document leaves open. Each says what the service may do there and what a user
 * then sets, so that any choice of one per point is a service that a user can speak to. The first is the default.
 */

export type Settings = Record<string, unknown>;

/** One thing that a service may do at one point. */
export interface Choice {
	options?: Partial<SandboxOptions>;
	/** Fields of the credential beyond address and key. */
	credential?: Settings;
	/** Options of the operation getAll. */
	list?: Settings;
	/** What the operations are told to ask for. */
	format?: 'json' | 'xml';
}

type Choices = Record<string, Choice>;

/** Choices of one option alone, of which the user knows nothing. */
function values<K extends keyof SandboxOptions>(option: K, ...list: Array<SandboxOptions[K]>): Choices {
	return Object.fromEntries(list.map((value) => [String(value), { options: { [option]: value } }]));
}

/** Every choice of options of which the user knows nothing, each of which is a point. */
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
		onlyListFoundOut: { options: { lookupValues: 'values' } },
	},
};

const JOBS: Record<string, Choices> = {
	...all('jobIdFormat', 'envelope', 'envelopeFlag', 'cancelReply', 'usageShape'),
	statusWords: {
		documented: {},
		upper: { options: { statusCase: 'upper' } },
		capitalised: { options: { statusCase: 'capitalised' } },
		others: { options: { workingSpelling: 'compressing', cancelledSpelling: 'canceled' } },
	},
	createReply: {
		...values('createReply', 'minimal', 'job', 'list', 'jobAndCredits', 'timedOut', 'empty'),
		notSuccess: { options: { createReply: 'notSuccess', createStatus: 201 } },
		locationOnly: { options: { createReply: 'empty', createStatus: 201, createLocation: 'path' } },
		absoluteLocationOnly: {
			options: { createReply: 'empty', createStatus: 201, createLocation: 'absolute' },
		},
		accepted: { options: { createStatus: 202, createLocation: 'path' } },
	},
	statusReply: values('statusReply', 'job', 'minimal', 'withResults', 'counters'),
	statusLag: { none: {}, some: { options: { statusLagMs: 5_000, listLagMs: 5_000 } } },
	statusDelay: { none: {}, some: { options: { statusDelayMs: 20_000 } } },
	earlyDownload: {
		refuse: {},
		withoutResults: { options: { earlyDownload: 'withoutResults' } },
		emptyResults: { options: { earlyDownload: 'emptyResults' } },
		emptyResults202: { options: { earlyDownload: 'emptyResults', earlyDownloadStatus: 202 } },
		large: { options: { earlyDownload: 'large' } },
		large202: { options: { earlyDownload: 'large', earlyDownloadStatus: 202 } },
	},
};

/** A list in pages of two, unless it says otherwise, and what a user sets for it. */
const listed = (options: Partial<SandboxOptions> = {}, list: Settings = {}): Choice => ({
	options: { listMaxPageSize: 2, ...options },
	list,
});
const CURSOR: Partial<SandboxOptions> = { listPaging: 'cursor', listSays: ['cursor', 'hasMore'] };

const LISTS: Record<string, Choices> = {
	...all('listShape', 'listOrder'),
	listWay: {
		pages: listed(),
		wholePages: listed({ listMaxPageSize: 100 }),
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
		cursorInMeta: listed(
			{
				...{ listPaging: 'cursor', listSays: ['cursor'] },
				...{ listCursorField: 'meta.next_cursor', listCursorParameter: 'after' },
			},
			{ pagination: 'cursor', cursorParameter: 'after' },
		),
		cursorUnannounced: listed(CURSOR),
		cursorLink: listed({ listPaging: 'cursor', listSays: ['link'] }),
		cursorOnlyMore: listed({ listPaging: 'cursor', listSays: ['hasMore'] }),
		totalOnly: listed({ listPaging: 'cursor', listSays: ['total'] }),
		pagesAndTotal: listed({ listSays: ['total', 'pages', 'hasMore'] }),
		pagesAndLink: listed({ listSays: ['link'] }),
		noneAskedFor: {
			options: { listPaging: 'ignored', listSays: ['total'] },
			list: { pagination: 'none' },
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
		'keyedLists',
		'resultsOrder',
		'resultQuery',
		'resultMetadata',
		'resultSuccess',
		'resultContent',
		'resultReason',
		'oddResults',
		'valueEcho',
		'notFoundContent',
		'contentShape',
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
	...all('xmlRoot', 'xmlTypes', 'xmlNil', 'xmlEntries', 'xmlNamespace', 'xmlDeclaration'),
	xmlMixedText: values('xmlMixedText', false, true),
	xmlIndent: values('xmlIndent', true, false),
	xmlEncoding: {
		utf8: {},
		utf8Bom: { options: { xmlEncoding: 'utf8Bom' } },
		...Object.fromEntries(
			(['latin1', 'utf16leBom', 'utf16beBom', 'utf16le', 'utf16be'] as const).flatMap(
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
		oneTimeToken: { options: { downloadRedirect: 'sameOrigin', ticketPlace: 'query' } },
		otherOrigin: { options: { downloadRedirect: 'otherOrigin' } },
	},
};

/** Every open point with its choices. */
export const POINTS: Record<string, Choices> = {
	...ACCESS,
	...JOBS,
	...LISTS,
	...RESULTS,
	...XML,
	...TRANSPORT,
};
