import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { readGivenPrices, readRowChoice } from '../descriptions/rowFields';
import { deadlineAfter, type WaitSettings } from '../descriptions/waiting';
import { isTool } from '../n8n/execution';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import type { ResultChoice } from '../output/fetch';
import { echoOf } from '../output/rows';
import type { ConnectionSettings } from '../service/connection';
import { nameOfValues, offersOption, topicTraits, type JobOption } from '../service/topics';
import { newRecord, type Aside, type JobRecord, type Requester } from './lookup/record';
import { complaintOn, plainGtin, readValues, type Complaint, type ReadValue } from './lookup/values';
import { readLinks, readTicket, type Choices } from './stored';

export interface ItemRequest extends Pick<Requester, 'given' | 'item'> {
	/** Wire parameters without `value` and `values`, unless they are from Additional Parameters. */
	parameters: IDataObject;
	asks: NonNullable<Requester['asks']>;
	/** Values that are not sent because their lookup would be wasted. */
	unsent: Aside[];
}

const OPTIONS: ReadonlyArray<[JobOption | 'timeout', wire: string, least?: number]> = [
	['maxAge', 'max_age', 0],
	['maxPages', 'max_pages', 1],
	['timeout', 'timeout', 1],
	['sortBy', 'sort_by'],
	['condition', 'condition'],
	['shipping', 'shipping'],
];

const REQUEST_FIELDS: readonly string[] = [
	...['topic', 'customTopic', 'useTestSource', 'source', 'country', 'lookupKey', 'customKey'],
	...['additionalParameters', 'webhookUrl', 'grouping', 'validateValues'],
	...OPTIONS.map(([option]) => option),
];

/** The wire parameters of an item, without its values and without empty fields. */
function wireParameters(
	fields: Parameters,
	item: number,
	connection: ConnectionSettings,
	{ topic, key, additional }: { topic: string; key: string; additional: IDataObject },
): IDataObject {
	const choice = fields.text('topic', item);
	const country = fields.text('country', item).toLowerCase();
	const isTest = fields.flag('useTestSource', item, false);
	const set: IDataObject = {
		topic,
		source: isTest ? connection.testSource : fields.text('source', item),
		// Services use ISO 3166 in lower case, where the United Kingdom is gb.
		country: country === 'uk' ? 'gb' : country,
		key,
	};
	for (const [option, wire, least] of OPTIONS) {
		const path = `options.${option}`;
		// n8n keeps an option even if a topic chosen later hides it.
		if (option !== 'timeout' && !offersOption(choice, option)) continue;
		set[wire] = least === undefined ? fields.text(path, item) : fields.number(path, item, least);
	}
	set[connection.webhookUrlParameter] = fields.text('options.webhookUrl', item);
	const filled = Object.entries(set).filter(([, value]) => value !== undefined && value !== '');
	// A blank one would keep the field Values from being sent.
	const isSent = ([name, value]: [string, unknown]) => value !== '' || !/^values?$/.test(name);
	return Object.fromEntries([...filled, ...Object.entries(additional).filter(isSent)]);
}

/**
 * Reads the request of an item. Nothing is sent.
 *
 * @param keepsUnsent whether an invalid value gets a row and the other values are sent; otherwise the whole
 * item is refused
 * @throws NodeOperationError for an invalid request, and any error of an expression
 */
export function requestOf(
	item: number,
	fields: Parameters,
	connection: ConnectionSettings,
	keepsUnsent = false,
): ItemRequest {
	const choice = fields.text('topic', item);
	const topic = choice === 'custom' ? fields.text('customTopic', item) : choice;
	if (topic === '')
		throw fields.refusal(item, 'Custom Topic is empty', 'Enter its name, or choose another Topic.');
	const additional = fields.pairs('options.additionalParameters', item);
	const read = readValues(fields.value('values', item));
	// Additional Parameters may contain the lookup value, under its older names only if Values is empty.
	const names = ['values', 'value', ...(read.length === 0 ? ['id', 'term', 'gtin'] : [])];
	const own = names.find((name) => additional[name] !== undefined && additional[name] !== '');
	const chosen = fields.text('lookupKey', item, topicTraits(topic).keys[0]);
	const key = chosen === 'custom' ? fields.text('customKey', item) : chosen;
	if (key === '' && own === undefined)
		throw fields.refusal(item, 'Custom Key is empty', 'Enter its name, or choose another Look Up By.');
	const isOlder = own !== undefined && !/^values?$/.test(own);
	const sent = { topic, key: isOlder ? '' : key, additional };
	const parameters = wireParameters(fields, item, connection, sent);
	const request: ItemRequest = { item, parameters, asks: [], unsent: [] };
	// Additional Parameters contain these values themselves; here each line only counts as one lookup.
	const asked: ReadValue[] = own === undefined ? read : readValues(additional[own]);
	const checksGtins =
		own === undefined && parameters.key === 'gtin' && fields.flag('options.validateValues', item, true);
	const advice = 'Enter what to look up, one value per line, e.g. {{ $json.gtin }}.';
	const empty: Complaint = [`${nameOfValues(chosen)} is empty`, 'one value per line', advice];
	for (const [place, { text, problem }] of (asked.length > 0 ? asked : [{ text: '' }]).entries()) {
		const complaint = text === '' ? empty : complaintOn({ text, problem }, checksGtins);
		if (complaint === undefined) {
			request.asks.push([place, checksGtins ? plainGtin(text) : text]);
			continue;
		}
		const [what, expected, remedy] = complaint;
		if (!keepsUnsent || own !== undefined)
			throw fields.refusal(item, what, `${remedy} Nothing was sent for this item.`);
		const reason = `not looked up: ${what}; expected: ${expected}`;
		const query = { ...echoOf(parameters), value: text || null };
		request.unsent.push({ item, place, row: { query, reason } });
	}
	return request;
}

/** Whether the parameters contain the lookup value themselves, see {@link requestOf}. */
export function bringsOwnValue(parameters: IDataObject): boolean {
	return 'value' in parameters || 'values' in parameters || !('key' in parameters);
}

/** The node's stored fields of a request: the same in every attempt, whatever expressions return. */
export function storedRequest(stored: IDataObject): IDataObject {
	const all = { ...stored, ...(stored.options as IDataObject | undefined) };
	return Object.fromEntries(REQUEST_FIELDS.map((name) => [name, all[name]]));
}

const OUTPUTS = ['entries', 'file', 'job', 'results', 'status'] as const;
const FORMATS = ['json', 'xml', 'csv', 'xlsx'] as const;

/** Reads how the user wants results: run-wide fields once, all others for each item. */
export class ChoiceReader {
	private all?: Required<Choices>;
	private firstText?: string;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly fields: Parameters,
	) {}

	/**
	 * The choice at an item, and the item's own prices for the comparison.
	 *
	 * @throws NodeOperationError when the format does not fit the output, or a field is invalid
	 */
	read(item: number) {
		const { fields } = this;
		const output = fields.choice('output', RUN, OUTPUTS, 'results');
		const format = fields.choice('options.format', item, FORMATS, 'json');
		if (output === 'file' && isTool(this.context)) {
			const advice = 'Nothing was sent. Set Output to One Row per Product or Job With Results.';
			throw fields.refusal(RUN, 'An agent cannot read a file', advice);
		}
		if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
			const message = `${format.toUpperCase()} is only available as a file`;
			throw fields.refusal(item, message, 'Set Output to File, or Format to JSON or XML.');
		}
		const choice: ResultChoice = {
			output,
			format,
			// The input of Download did not request any values.
			includeInputFields:
				fields.text('operation', RUN) !== 'download' &&
				fields.flag('options.includeInputFields', RUN, true),
			binaryPropertyName: fields.text('options.binaryPropertyName', item, 'data'),
			fileName: fields.text('options.fileName', item),
			timeoutMs: fields.timeoutMs(),
			...readRowChoice(fields, item),
		};
		const { byItem } = (this.all ??= { first: choice, byItem: {} });
		// A suspended run stores only the choices that differ.
		const written = JSON.stringify(choice);
		if (written !== (this.firstText ??= written)) byItem[item] = choice;
		return { choice, given: output === 'results' ? readGivenPrices(fields, item) : undefined };
	}

	/** All choices. @throws NodeOperationError if none was read before and the first is invalid */
	choices(): Choices {
		return this.all ?? { first: this.read(0).choice };
	}
}

/** The wait settings for named jobs, and the current time in milliseconds since 1970. */
type NamedWait = Pick<WaitSettings, 'latest' | 'maxWaitMs' | 'mode'> & { now: number };

/**
 * Until when to wait for an item's job, in milliseconds since 1970: until its ticket's deadline, even a past
 * one, or from now on if another node gave it up. Polling occupies a worker for Max Wait at most.
 */
export function deadlineOf(
	{ deadline, givenUpBy }: Partial<Pick<JobRecord, 'deadline' | 'givenUpBy'>>,
	nodeName: string,
	wait: NamedWait,
): number {
	const { now, mode } = wait;
	const latest = deadlineAfter(now, wait);
	// A job that returns to the node that gave it up is in a loop, which must end.
	if (givenUpBy?.includes(nodeName)) return now;
	if (deadline === undefined || givenUpBy?.length) return latest;
	return mode === 'poll' ? Math.min(deadline, latest) : Math.min(deadline, wait.latest ?? Infinity);
}

/**
 * The record of a job that an item names: the one that a node of this execution left, or a new one. Jobs that
 * this execution requested keep their requesters. Items that only named a job stay while it loops, because
 * suspensions cut links. Of the prices to compare, those from here take precedence.
 */
function recordFor(
	jobId: string,
	naming: Requester,
	ticket: ReturnType<typeof readTicket>,
	kept: JobRecord | undefined,
): JobRecord {
	const own = { ...newRecord(jobId, [naming]), ...ticket };
	if (ticket) own.job = { ...kept?.job, ...ticket.job };
	const { request, requesters = [], asides = [] } = kept ?? {};
	if (requesters.length === 0 || !(ticket || request)) return own;
	const set = Object.entries(naming.given ?? {}).filter(([, price]) => price !== null);
	const here = <T extends Requester>(all: readonly T[]) =>
		all.map((one) => {
			const given = { ...naming.given, ...one.given, ...Object.fromEntries(set) };
			return { ...one, at: naming.item, given };
		});
	// The ticket is the same in a retry of the node that output them; the stored record has changed by then.
	const isOutput = (ticket ?? kept)?.areAsidesOutput === true;
	return { ...own, request, requesters: here(requesters), asides: isOutput ? [] : here(asides) };
}

/**
 * The jobs that the input items name, each once and in their order, and error items for the others.
 *
 * @throws NodeOperationError for an item without a job, unless the node continues after failures
 */
export async function readNamedJobs(
	context: IExecuteFunctions,
	fields: Parameters,
	choices: ChoiceReader,
	wait: NamedWait,
): Promise<{ records: JobRecord[]; asides: Aside[] }> {
	const records = new Map<string, JobRecord>();
	const asides: Aside[] = [];
	const kept = readLinks(context);
	const { name } = context.getNode();
	const input = context.getInputData();
	const work = (item: number) => {
		const ticket = readTicket(input[item]?.json ?? {});
		const jobId = ticket?.job.job_id ?? fields.jobId(item);
		const naming = { item, given: choices.read(item).given };
		const known = records.get(jobId);
		if (known === undefined) {
			const record = recordFor(jobId, naming, ticket, kept.get(jobId));
			const deadline = deadlineOf(ticket ?? {}, name, wait);
			records.set(jobId, { ...record, since: record.since || wait.now, deadline });
		} else if (!ticket && !known.request) known.requesters.push(naming);
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	return { records: [...records.values()], asides };
}
