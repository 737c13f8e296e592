import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../../n8n/parameters';
import type { ConnectionSettings } from '../../service/connection';
import { echoOf } from '../../output/rows';
import { nameOfValues, offersOption, topicTraits, type JobOption } from '../../service/topics';
import { gtinComplaint, plainGtin, type Complaint } from './gtin';
import type { Aside, Requester } from './record';
import { readValues, type ReadValue } from './values';

/** The request of one input item. */
export interface ItemRequest extends Pick<Requester, 'given' | 'item'> {
	/** Wire parameters without `value` and `values`, unless they are from Additional Parameters. */
	parameters: IDataObject;
	asks: NonNullable<Requester['asks']>;
	/** Values that are not sent because their lookup would be wasted. */
	unsent: Aside[];
}

/** Options, their wire names, and for numbers the minimum. */
const OPTIONS: ReadonlyArray<[JobOption | 'timeout', wire: string, least?: number]> = [
	['maxAge', 'max_age', 0],
	['maxPages', 'max_pages', 1],
	['timeout', 'timeout', 1],
	['sortBy', 'sort_by'],
	['condition', 'condition'],
	['shipping', 'shipping'],
];

/** The fields of the node that define a request. */
export const REQUEST_FIELDS: readonly string[] = [
	...['topic', 'customTopic', 'useTestSource', 'source', 'country', 'lookupKey', 'customKey'],
	...['additionalParameters', 'webhookUrl', 'grouping', 'validateValues'],
	...OPTIONS.map(([option]) => option),
];

/**
 * The name under which Additional Parameters contain the lookup value: `value` and `values` always, the older
 * names (`id`, `term`, …) only if the field Values is empty.
 */
function ownValueName(additional: IDataObject, valuesAreEmpty: boolean): string | undefined {
	const names = valuesAreEmpty ? ['values', 'value', 'id', 'term', 'gtin'] : ['values', 'value'];
	return names.find((name) => additional[name] !== undefined && additional[name] !== '');
}

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
	const set: Array<[string, string | number | undefined]> = [
		['topic', topic],
		['source', isTest ? connection.testSource : fields.text('source', item)],
		// Services use ISO 3166 in lower case, where the United Kingdom is gb.
		['country', country === 'uk' ? 'gb' : country],
		['key', key],
	];
	for (const [option, wire, least] of OPTIONS) {
		const path = `options.${option}`;
		// n8n keeps an option even if a topic chosen later hides it.
		if (option !== 'timeout' && !offersOption(choice, option)) continue;
		set.push([wire, least === undefined ? fields.text(path, item) : fields.number(path, item, least)]);
	}
	set.push([connection.webhookUrlParameter, fields.text('options.webhookUrl', item)]);
	const parameters: IDataObject = Object.fromEntries(
		set.filter(([, value]) => value !== undefined && value !== ''),
	);
	for (const [name, value] of Object.entries(additional)) {
		// A blank one would keep the field Values from being sent.
		if (value !== '' || (name !== 'value' && name !== 'values')) parameters[name] = value;
	}
	return parameters;
}

/** What is wrong with a value whose lookup would be wasted; undefined for a valid one. */
function complaintOn({ text, problem }: ReadValue, checksGtins: boolean): Complaint | undefined {
	if (problem === undefined) return checksGtins ? gtinComplaint(text) : undefined;
	const what = `"${text}" cannot be looked up: ${problem}`;
	return { what, expected: 'a text or a number', advice: 'Correct it.' };
}

/** The complaint about an empty field, with the field's name for the key. */
const blank = (key: string): Complaint => ({
	what: `${nameOfValues(key)} is empty`,
	expected: 'one value per line',
	advice: 'Enter what to look up, one value per line, e.g. {{ $json.gtin }}.',
});

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
	const own = ownValueName(additional, read.length === 0);
	const chosen = fields.text('lookupKey', item, topicTraits(topic).keys[0]);
	const key = chosen === 'custom' ? fields.text('customKey', item) : chosen;
	if (key === '' && own === undefined)
		throw fields.refusal(item, 'Custom Key is empty', 'Enter its name, or choose another Look Up By.');
	const sentKey = own === undefined || own === 'value' || own === 'values' ? key : '';
	const parameters = wireParameters(fields, item, connection, { topic, key: sentKey, additional });
	const request: ItemRequest = { item, parameters, asks: [], unsent: [] };
	// Additional Parameters contain these values themselves; here each line only counts as one lookup.
	const asked = own === undefined ? read : readValues(additional[own]);
	const checksGtins =
		own === undefined && parameters.key === 'gtin' && fields.flag('options.validateValues', item, true);
	const leaveOut = (place: number, value: string | null, { what, expected, advice }: Complaint) => {
		if (!keepsUnsent || own !== undefined)
			throw fields.refusal(item, what, `${advice} Nothing was sent for this item.`);
		const reason = `not looked up: ${what}; expected is ${expected}`;
		request.unsent.push({ item, place, row: { query: { ...echoOf(parameters), value }, reason } });
	};
	for (const [place, value] of asked.entries()) {
		const complaint = complaintOn(value, checksGtins);
		if (complaint === undefined)
			request.asks.push([place, checksGtins ? plainGtin(value.text) : value.text]);
		else leaveOut(place, value.text, complaint);
	}
	if (asked.length === 0) leaveOut(0, null, blank(chosen));
	return request;
}

/** Whether the parameters contain the lookup value themselves, see {@link requestOf}. */
export function bringsOwnValue(parameters: IDataObject): boolean {
	return 'value' in parameters || 'values' in parameters || !('key' in parameters);
}

/** The node's stored fields of a request: the same in every attempt, whatever expressions return. */
export function storedRequest(stored: IDataObject): IDataObject {
	const { options } = stored;
	const all = { ...stored, ...(typeof options === 'object' ? (options as IDataObject) : {}) };
	return Object.fromEntries(REQUEST_FIELDS.map((name) => [name, all[name]]));
}
