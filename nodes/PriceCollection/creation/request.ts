import type { IDataObject } from 'n8n-workflow';

import { RUN, type Parameters } from '../n8n/parameters';
import { echoOf } from '../rows/rows';
import type { ConnectionSettings } from '../service/connection';
import { documentedKey, markAsGiven } from '../service/requestNames';
import { nameOfValues, offersOption, topicTraits, USUAL_TOPIC, type JobOption } from '../service/topics';
import { complaintOn, readValues, repeated, type Complaint, type ReadValue } from '../values/cells';
import { codeOfCountry } from '../values/country';
import { plainGtin } from '../values/gtin';
import type { UnsentRequest, Requester } from '../run/record';

export interface ItemRequest extends Pick<Requester, 'givenPrices' | 'isOfSeveral' | 'item'> {
	/** Wire parameters without `value` and `values`, unless they are from Additional Parameters. */
	parameters: IDataObject;
	lookups: NonNullable<Requester['lookups']>;
	/** Values that are not sent because their lookup would be wasted. */
	unsent: UnsentRequest[];
}

const JOB_OPTIONS: ReadonlyArray<[JobOption | 'timeout', wire: string, least?: number]> = [
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
	...JOB_OPTIONS.map(([option]) => option),
];

/** Sources are written in lower case; those of a list or an expression are sent as they come. */
function requestedSource(fields: Parameters, item: number, { testSource }: ConnectionSettings): string {
	if (fields.flag('useTestSource', item, false)) return testSource;
	const source = fields.text('source', item);
	return fields.isTyped('source') ? source.toLowerCase() : source;
}

/**
 * The code of the country, in the credential's case. Services use ISO 3166, where the United Kingdom is gb.
 *
 * @throws NodeOperationError for the name of a country; one that is chosen from the list is the service's own word
 */
function countryOf(fields: Parameters, item: number, { countryCase }: ConnectionSettings): string {
	const country = fields.text('country', item);
	const meant = fields.isListed('country') ? undefined : codeOfCountry(country);
	if (meant !== undefined) {
		const at = fields.isTyped('country') ? RUN : item;
		const advice = `Write ${meant} for ${country}. Nothing was sent${at === RUN ? '' : ' for this item'}.`;
		throw fields.refusal(at, `Country is "${country}", and not a two-letter code`, advice);
	}
	const code = country.toLowerCase().replace(/^uk$/, 'gb');
	return countryCase === 'upper' ? code.toUpperCase() : code;
}

/** The wire parameters of an item, without its values and without empty fields. */
function wireParameters(
	fields: Parameters,
	item: number,
	connection: ConnectionSettings,
	{
		choice,
		topic,
		key,
		additional,
	}: Record<'choice' | 'key' | 'topic', string> & { additional: IDataObject },
): IDataObject {
	const set: IDataObject = {
		topic,
		source: requestedSource(fields, item, connection),
		country: countryOf(fields, item, connection),
		key,
	};
	for (const [option, wire, least] of JOB_OPTIONS) {
		const path = `options.${option}`;
		// n8n keeps an option even if a topic chosen later hides it.
		if (option !== 'timeout' && !offersOption(choice, option)) continue;
		set[wire] = least === undefined ? fields.text(path, item) : fields.number(path, item, least);
	}
	set[connection.webhookUrlParameter] = fields.text('options.webhookUrl', item);
	const filled = Object.entries(set).filter(([, value]) => value !== undefined && value !== '');
	// A blank one would keep the field Values from being sent.
	const isSent = ([name, value]: [string, unknown]) => value !== '' || !/^values?$/.test(name);
	const given = Object.fromEntries(Object.entries(additional).filter(isSent));
	return markAsGiven({ ...Object.fromEntries(filled), ...given }, given, connection);
}

/**
 * Reads the request of an item. Nothing is sent.
 *
 * @param keepsUnsent whether an invalid value gets a row and the other values are sent; otherwise the whole
 * item is refused
 * @param isTool whether an AI agent has written the values
 * @throws NodeOperationError for an invalid request, and any error of an expression
 */
export function requestOf(
	item: number,
	fields: Parameters,
	connection: ConnectionSettings,
	{ keepsUnsent = false, isTool = false } = {},
): ItemRequest {
	const choice = fields.text('topic', item, USUAL_TOPIC);
	const topic = choice === 'custom' ? fields.text('customTopic', item) : choice;
	if (topic === '')
		throw fields.refusal(item, 'Custom Topic is empty', 'Enter its name, or choose another Topic.');
	const additional = fields.pairs('options.additionalParameters', item);
	const read = readValues(fields.value('values', item), { isTool });
	// Additional Parameters may contain the lookup value, under its older names only if Values is empty.
	const names = ['values', 'value', ...(read.length === 0 ? ['id', 'term', 'gtin'] : [])];
	const inlineName = names.find((name) => additional[name] !== undefined && additional[name] !== '');
	const chosen = fields.text('lookupKey', item, topicTraits(topic).keys[0]);
	const entered = chosen === 'custom' ? fields.text('customKey', item) : chosen;
	const key = documentedKey(entered, connection);
	if (key === '' && inlineName === undefined)
		throw fields.refusal(item, 'Custom Key is empty', 'Enter its name, or choose another Look Up By.');
	const isOlder = inlineName !== undefined && !/^values?$/.test(inlineName);
	const sent = { choice, topic, key: isOlder ? '' : key, additional };
	const parameters = wireParameters(fields, item, connection, sent);
	const request: ItemRequest = { item, parameters, lookups: [], unsent: [] };
	// Additional Parameters contain these values themselves; here each line only counts as one lookup.
	const asked: ReadValue[] = inlineName === undefined ? read : readValues(additional[inlineName]);
	const checksGtins =
		inlineName === undefined &&
		parameters.key === 'gtin' &&
		fields.flag('options.validateValues', item, true);
	const advice = 'Enter what to look up, one value per line, e.g. {{ $json.gtin }}.';
	const named = nameOfValues(key);
	const empty: Complaint = [`${named} is empty`, advice];
	for (const [position, { text, problem }] of (asked.length > 0 ? asked : [{ text: '' }]).entries()) {
		const complaint = text === '' ? empty : complaintOn({ text, problem }, checksGtins);
		if (complaint === undefined) {
			request.lookups.push([position, checksGtins ? plainGtin(text) : text]);
			continue;
		}
		const [what, remedy] = complaint;
		if (!keepsUnsent || inlineName !== undefined)
			throw fields.refusal(item, what, `${remedy} Nothing was sent for this item.`);
		const why = text === '' ? `no ${named.replace(/s$/, '')} in this row` : `${what}. ${remedy}`;
		const reason = repeated(`not looked up: ${why}`);
		const query = { ...echoOf(parameters), value: repeated(text) || null };
		request.unsent.push({ item, position, row: { query, reason } });
	}
	return request;
}

/** Whether the parameters contain the lookup value themselves, see {@link requestOf}. */
export function hasInlineValue(parameters: IDataObject): boolean {
	return 'value' in parameters || 'values' in parameters || !('key' in parameters);
}

/** The node's stored fields of a request: the same in every attempt, whatever expressions return. */
export function storedRequest(stored: IDataObject): IDataObject {
	const all = { ...stored, ...(stored.options as IDataObject | undefined) };
	return Object.fromEntries(REQUEST_FIELDS.map((name) => [name, all[name]]));
}
