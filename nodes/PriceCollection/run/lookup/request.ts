import type { IDataObject } from 'n8n-workflow';

import type { Dialect } from '../../service/dialect';
import { echoOf } from '../../output/rows';
import { offersOption, type JobOption } from '../../service/topics';
import { complaintAbout } from './gtin';
import type { ItemRequest, UnsentValue } from './plan';
import { readValues } from './values';

/** The fields of What to Collect for one input item, as n8n gives them. */
export interface CollectFields {
	topic: string;
	customTopic: string;
	useTestSource: boolean;
	source: string;
	country: string;
	lookupKey: string;
	customKey: string;
	values: unknown;
	options: IDataObject;
	/** The pairs of Additional Parameters. */
	additional: IDataObject;
}

/** What an item asks for, or the sentences (what, then what to do) that say why it cannot be asked. */
type RequestRead = { ok: true; request: ItemRequest } | { ok: false; message: string; description: string };

/** Option names and the wire names they are sent under. */
const WIRE_NAMES: ReadonlyArray<readonly [option: JobOption | 'timeout', wire: string]> = [
	['maxAge', 'max_age'],
	['maxPages', 'max_pages'],
	['sortBy', 'sort_by'],
	['condition', 'condition'],
	['shipping', 'shipping'],
	['timeout', 'timeout'],
];

/** The name under which an option is sent; its own for an option that is none of the service's. */
export function wireNameOf(option: string): string {
	return WIRE_NAMES.find(([name]) => name === option)?.[1] ?? option;
}

function refused(message: string, description: string): RequestRead {
	return { ok: false, message, description };
}

/** Sets a wire parameter unless there is nothing to send. */
function set(parameters: IDataObject, name: string, value: unknown): void {
	if (value !== undefined && value !== null && value !== '')
		parameters[name] = value as IDataObject[string];
}

/**
 * The name under which Additional Parameters bring the lookup value themselves: `value` and `values` always, the
 * older form (`id`, `term`, …) only where the field Values is empty.
 */
function ownValueName(additional: IDataObject, valuesAreEmpty: boolean): string | undefined {
	const names = valuesAreEmpty ? ['values', 'value', 'id', 'term', 'gtin'] : ['values', 'value'];
	return names.find((name) => additional[name] !== undefined && additional[name] !== '');
}

/** The wire parameters of an item, without its values. What is not set is not sent. */
function wireParameters(fields: CollectFields, dialect: Dialect, topic: string, key: string): IDataObject {
	const parameters: IDataObject = { topic };
	set(parameters, 'source', fields.useTestSource ? dialect.testSource : fields.source);
	// As services write it: ISO 3166 in lower case, and so the United Kingdom as gb.
	const country = fields.country.toLowerCase();
	set(parameters, 'country', country === 'uk' ? 'gb' : country);
	set(parameters, 'key', key);
	for (const [option, wire] of WIRE_NAMES) {
		// n8n keeps an option that the topic chosen afterwards no longer shows.
		if (option === 'timeout' || offersOption(fields.topic, option))
			set(parameters, wire, fields.options[option]);
	}
	const { webhookUrl } = fields.options;
	if (typeof webhookUrl === 'string') set(parameters, dialect.webhookUrlParameter, webhookUrl.trim());
	for (const [name, value] of Object.entries(fields.additional)) {
		// Blank, it would only keep the field Values from being sent.
		if (value !== '' || (name !== 'value' && name !== 'values')) parameters[name] = value;
	}
	return parameters;
}

/** Why a GTIN among the values would be paid for in vain. */
function wrongGtin(values: string[]): RequestRead | undefined {
	for (const value of values) {
		const complaint = complaintAbout(value);
		if (complaint === undefined) continue;
		return refused(complaint.what, `${complaint.advice} Nothing was sent for this item.`);
	}
	return undefined;
}

/** A request that leaves out what would be paid for in vain, and keeps it for rows of its own. */
function withoutUnsent({ item, parameters, values }: ItemRequest, checksGtins: boolean): ItemRequest {
	const echo = echoOf(parameters);
	const sent: string[] = [];
	const unsent: UnsentValue[] = [];
	const leaveOut = (value: string | null, what: string, expected: string) => {
		const reason = `not looked up: ${what}; expected is ${expected}`;
		unsent.push({ item, place: sent.length, query: { ...echo, value }, reason });
	};
	if (values.length === 0) leaveOut(null, 'the value is blank', 'one value per line');
	for (const value of values) {
		const complaint = checksGtins ? complaintAbout(value) : undefined;
		if (complaint === undefined) sent.push(value);
		else leaveOut(value, complaint.what, complaint.expected);
	}
	return { item, parameters, values: sent, unsent };
}

/**
 * Turns the fields of an item into a request. Pure: nothing is sent.
 *
 * @param keepsUnsent whether a blank value or a wrong GTIN gets a row and the other values go on; otherwise the item is
 * refused as a whole
 */
export function requestOf(
	item: number,
	fields: CollectFields,
	dialect: Dialect,
	keepsUnsent = false,
): RequestRead {
	const topic = fields.topic === 'custom' ? fields.customTopic.trim() : fields.topic;
	if (topic === '') {
		return refused('Custom Topic is empty', "Enter the topic's name, or choose another Topic.");
	}
	const read = readValues(fields.values);
	if (!read.ok) return refused(read.reason, 'Correct the field Values.');
	const own = ownValueName(fields.additional, read.values.length === 0);
	const key = fields.lookupKey === 'custom' ? fields.customKey.trim() : fields.lookupKey;
	if (own !== undefined) {
		// The value travels with the other parameters; here it only stands for one paid look-up each line.
		const sentKey = own === 'value' || own === 'values' ? key : '';
		const parameters = wireParameters(fields, dialect, topic, sentKey);
		const brought = readValues(fields.additional[own]);
		if (!brought.ok) return refused(brought.reason, 'Correct it in Additional Parameters.');
		// One value for the plan, so that it is never split: every part would be sent, and paid for, as a whole.
		return { ok: true, request: { item, parameters, values: [brought.values.join('\n')] } };
	}
	if (key === '') {
		return refused('Custom Key is empty', "Enter the key's name, or choose another Look Up By.");
	}
	const { values } = read;
	if (values.length === 0 && !keepsUnsent) {
		const advice = 'Enter what to look up, one value per line, e.g. {{ $json.gtin }}.';
		return refused('Values is empty', advice);
	}
	const parameters = wireParameters(fields, dialect, topic, key);
	const isChecked = parameters.key === 'gtin' && fields.options.validateValues !== false;
	const request: ItemRequest = { item, parameters, values };
	if (keepsUnsent) return { ok: true, request: withoutUnsent(request, isChecked) };
	const wrong = isChecked ? wrongGtin(values) : undefined;
	return wrong ?? { ok: true, request };
}

/** The lookup values of a planned job one by one, also where the parameters bring them all as one. */
export function singleValues(values: readonly string[]): string[] {
	return values.flatMap((value) => value.split('\n'));
}

/** Whether the parameters bring the lookup value themselves, see {@link requestOf}. */
export function bringsOwnValue(parameters: IDataObject): boolean {
	return 'value' in parameters || 'values' in parameters || !('key' in parameters);
}
