import type { IDataObject } from 'n8n-workflow';

import { RUN, type NodeFields } from '../n8n/nodeFields';
import { echoOf } from '../rows/rows';
import type { ConnectionSettings } from '../service/connection';
import { documentedKey, markUnrenamed } from '../service/requestNames';
import { nameOfValues, offersOption, topicTraits, DEFAULT_TOPIC, type JobOption } from '../service/topics';
import { complaintOn, readValues, repeated, type Complaint, type ReadValue } from '../values/cells';
import { codeOfCountry } from '../values/country';
import { plainGtin } from '../values/gtin';
import type { UnsentRequest, Requester } from '../run/record';

export interface ItemRequest extends Pick<Requester, 'inputPrices' | 'isOfSeveral' | 'item'> {
	/** Wire parameters without `value` and `values`, unless Additional Parameters contain them. */
	parameters: IDataObject;
	lookups: NonNullable<Requester['lookups']>;
	/** Values that are not sent, because looking them up would be wasted. */
	unsent: UnsentRequest[];
}

const PARAMETER_BY_OPTION: ReadonlyArray<[JobOption | 'timeout', wire: string, least?: number]> = [
	['maxAge', 'max_age', 0],
	['maxPages', 'max_pages', 1],
	['timeout', 'timeout', 1],
	['sortBy', 'sort_by'],
	['condition', 'condition'],
	['shipping', 'shipping'],
];

const REQUEST_FIELDS: readonly string[] = [
	...['topic', 'customTopic', 'useTestSource', 'source', 'country', 'lookupKey', 'customKey'],
	...['additionalParameters', 'webhookUrl', 'validateValues'],
	...PARAMETER_BY_OPTION.map(([option]) => option),
];

/** The source to request: lower-cased if typed, unchanged if it comes from a list or an expression. */
function requestedSource(fields: NodeFields, item: number, { testSource }: ConnectionSettings): string {
	if (fields.flag('useTestSource', item, false)) return testSource;
	const source = fields.text('source', item);
	return fields.isTyped('source') ? source.toLowerCase() : source;
}

/**
 * The country code, in the case that the credential sets. Services use ISO 3166, where the United Kingdom is gb.
 *
 * @throws NodeOperationError for a country's name, unless it was chosen from the list, which has the service's words
 */
function countryOf(fields: NodeFields, item: number, { countryCase }: ConnectionSettings): string {
	const country = fields.text('country', item);
	const suggestedCode = fields.isListed('country') ? undefined : codeOfCountry(country);
	if (suggestedCode !== undefined) {
		const scope = fields.isTyped('country') ? RUN : item;
		const advice = `Write ${suggestedCode} for ${country}. Nothing was sent${scope === RUN ? '' : ' for this item'}.`;
		throw fields.refusal(scope, `Country is "${country}", not a two-letter code`, advice);
	}
	const code = country.toLowerCase().replace(/^uk$/, 'gb');
	return countryCase === 'upper' ? code.toUpperCase() : code;
}

/** The wire parameters of an item, without empty fields. They contain lookup values only if Additional Parameters do. */
function wireParameters(
	fields: NodeFields,
	item: number,
	connection: ConnectionSettings,
	{
		choice,
		topic,
		key,
		additional,
	}: Record<'choice' | 'key' | 'topic', string> & { additional: IDataObject },
): IDataObject {
	const fieldParameters: IDataObject = {
		topic,
		source: requestedSource(fields, item, connection),
		country: countryOf(fields, item, connection),
		key,
	};
	for (const [option, wire, least] of PARAMETER_BY_OPTION) {
		const path = `options.${option}`;
		// n8n keeps an option even if a topic chosen later hides it.
		if (option !== 'timeout' && !offersOption(choice, option)) continue;
		fieldParameters[wire] =
			least === undefined ? fields.text(path, item) : fields.number(path, item, least);
	}
	fieldParameters[connection.webhookUrlParameter] = fields.text('options.webhookUrl', item);
	const filled = Object.entries(fieldParameters).filter(([, value]) => value !== undefined && value !== '');
	// A blank `value` or `values` would keep the Values field from being sent.
	const isSent = ([name, value]: [string, unknown]) => value !== '' || !/^values?$/.test(name);
	const userParameters = Object.fromEntries(Object.entries(additional).filter(isSent));
	return markUnrenamed({ ...Object.fromEntries(filled), ...userParameters }, userParameters, connection);
}

/**
 * Adds values to the request of their item: those to look up, and those that are not sent, each with the reason.
 *
 * @throws NodeOperationError for an invalid value if it refuses the whole item
 */
function addValues(
	{ item, parameters, lookups, unsent }: ItemRequest,
	values: readonly ReadValue[],
	fields: NodeFields,
	{
		valuesName,
		checksGtins,
		refusesItem,
	}: { valuesName: string; checksGtins: boolean; refusesItem: boolean },
): void {
	const advice = 'Enter what to look up, one value per line, e.g. {{ $json.gtin }}.';
	const empty: Complaint = [`${valuesName} is empty`, advice];
	for (const [position, { text, problem }] of values.entries()) {
		const complaint = text === '' ? empty : complaintOn({ text, problem }, checksGtins);
		if (complaint === undefined) {
			lookups.push([position, checksGtins ? plainGtin(text) : text]);
			continue;
		}
		const [what, remedy] = complaint;
		if (refusesItem) throw fields.refusal(item, what, `${remedy} Nothing was sent for this item.`);
		const why = text === '' ? `no ${valuesName.replace(/s$/, '')} in this row` : `${what}. ${remedy}`;
		const reason = repeated(`not looked up: ${why}`);
		const query = { ...echoOf(parameters), value: repeated(text) || null };
		unsent.push({ item, position, row: { query, reason } });
	}
}

/**
 * Reads the request of an item. Sends nothing.
 *
 * @param keepsUnsent whether an invalid value gets a row while the other values are sent; otherwise the whole
 * item is refused
 * @param isTool whether an AI agent wrote the values
 * @throws NodeOperationError for an invalid request, and any error from an expression
 */
export function requestOf(
	item: number,
	fields: NodeFields,
	connection: ConnectionSettings,
	{ keepsUnsent = false, isTool = false } = {},
): ItemRequest {
	const choice = fields.text('topic', item, DEFAULT_TOPIC);
	const topic = choice === 'custom' ? fields.text('customTopic', item) : choice;
	if (topic === '')
		throw fields.refusal(item, 'Custom Topic is empty', 'Enter its name, or choose another Topic.');
	const additional = fields.pairs('options.additionalParameters', item);
	const read = readValues(fields.value('values', item), { isTool });
	// Additional Parameters may contain the lookup value; its older names count only if Values is empty.
	const names = ['values', 'value', ...(read.length === 0 ? ['id', 'term', 'gtin'] : [])];
	const inlineName = names.find((name) => additional[name] !== undefined && additional[name] !== '');
	const keyChoice = fields.text('lookupKey', item, topicTraits(topic).keys[0]);
	const keyInput = keyChoice === 'custom' ? fields.text('customKey', item) : keyChoice;
	const key = documentedKey(keyInput, connection);
	if (key === '' && inlineName === undefined)
		throw fields.refusal(item, 'Custom Key is empty', 'Enter its name, or choose another Look Up By.');
	const usesOlderName = inlineName !== undefined && !/^values?$/.test(inlineName);
	const sent = { choice, topic, key: usesOlderName ? '' : key, additional };
	const parameters = wireParameters(fields, item, connection, sent);
	const request: ItemRequest = { item, parameters, lookups: [], unsent: [] };
	// Additional Parameters already contain these values; here, each line only counts as one lookup.
	const requestedValues: ReadValue[] = inlineName === undefined ? read : readValues(additional[inlineName]);
	const checksGtins =
		inlineName === undefined &&
		parameters.key === 'gtin' &&
		fields.flag('options.validateValues', item, true);
	const values = requestedValues.length > 0 ? requestedValues : [{ text: '' }];
	const refusesItem = !keepsUnsent || inlineName !== undefined;
	addValues(request, values, fields, { valuesName: nameOfValues(key), checksGtins, refusesItem });
	return request;
}

/** Whether the parameters already contain the lookup value, see {@link requestOf}. */
export function hasInlineValue(parameters: IDataObject): boolean {
	return 'value' in parameters || 'values' in parameters || !('key' in parameters);
}

/** The node's stored fields that define a request. They are the same in every attempt, whatever expressions return. */
export function storedRequest(stored: IDataObject): IDataObject {
	const all = { ...stored, ...(stored.options as IDataObject | undefined) };
	return Object.fromEntries(REQUEST_FIELDS.map((name) => [name, all[name]]));
}
