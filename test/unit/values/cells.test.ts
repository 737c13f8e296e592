import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';

import { requestOf } from '../../../nodes/PriceCollection/creation/request';
import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import {
	complaintOn,
	readValues,
	repeated,
	type ReadValue,
} from '../../../nodes/PriceCollection/values/cells';
import { readCases } from '../cases';
import { dialectOf } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const OBJECT = 'cannot be looked up: it is an object or a date';
const NO_NUMBER = 'cannot be looked up: it is not a number';
const OF_SHEET = 'is an error in the sheet';
const NO_VALUE = 'is not a value';

/** What a cell asks for, or what its row says, in the order of its values. */
function outcomes(values: unknown, lookupKey: string, isTool: boolean): Array<string | undefined> {
	const parameters = { topic: 'search', values, lookupKey } as INodeParameters;
	const fields = new NodeFields(nodeContext({ parameters }).context);
	const { lookups, unsent } = requestOf(0, fields, dialectOf(), { keepsUnsent: true, isTool });
	const rows = unsent.map(({ position, row }) => [position, row?.reason] as const);
	return [...lookups, ...rows].sort(([one], [other]) => one - other).map(([, text]) => text);
}

describe.each(readCases(join(__dirname, 'cells.cases.txt')))('cells. %s', (chapter, cases) => {
	test.each(cases)('%s', (_name, cell = '', key = '', answer = '') => {
		const isTool = chapter === 'From an AI agent';
		expect(outcomes(JSON.parse(cell), key, isTool).join('; ')).toBe(answer);
	});
});

test.each<[string, unknown, ReadValue[]]>([
	['nothing', undefined, []],
	['nothing in a list', ['x', undefined], [{ text: 'x' }]],
	['a big integer', 12345678901234567890n, [{ text: '12345678901234567890' }]],
	['what is inside a value', 'a\u200b\u00a0b', [{ text: 'a\u200b\u00a0b' }]],
	['a date', new Date(0), [{ text: '"1970-01-01T00:00:00.000Z"', problem: OBJECT }]],
	['no number', NaN, [{ text: 'NaN', problem: NO_NUMBER }]],
	['no end of it', Infinity, [{ text: 'Infinity', problem: NO_NUMBER }]],
])('reads %s', (_name, raw, values) => {
	expect(readValues(raw)).toEqual(values);
});

test.each<[string, string[]]>([
	[OF_SHEET, ['#N/A', '#REF!', '#VALUE!', '#NAME?', '#NULL!', '#NUM!', '#DIV/0!', '#ERROR!', '#SPILL!']],
	[OF_SHEET, ['#CALC!', '#GETTING_DATA', '#BUSY!', '#CONNECT!', '#FIELD!', '#BLOCKED!', '#UNKNOWN!']],
	[OF_SHEET, ['Loading...', 'Loading…']],
	[NO_VALUE, ['undefined', 'null', 'NaN', '-', '–', '—']],
])('%s: %j', (problem, texts) => {
	expect(readValues(texts)).toEqual(texts.map((text) => ({ text, problem })));
});

const NO_DIGITS = 'is not a valid GTIN: it contains something other than digits';
const CHECKED = 'Correct it, or switch off Check GTINs in the options.';
const long = 'x'.repeat(300);

test.each<[string, string, string]>([
	['a long text', long, `${'x'.repeat(99)}…`],
	['a text of 100', 'x'.repeat(100), 'x'.repeat(100)],
	// A character is never cut in half, which some sheets refuse.
	['a cut in a character', `${'x'.repeat(97)}☕😀x`, `${'x'.repeat(97)}☕…`],
])('a complaint quotes 100 characters of a cell: %s', (_name, text, quoted) => {
	expect(complaintOn({ text }, true)).toEqual([`"${quoted}" ${NO_DIGITS}`, CHECKED]);
});

test.each([true, false])('a long object is complained of by any key: GTIN %p', (isGtin) => {
	const [value = { text: '' }] = readValues({ a: long });
	const complaint = [`"{"a":"${'x'.repeat(93)}…" ${OBJECT}`, 'Correct it.'];
	expect(complaintOn(value, isGtin)).toEqual(complaint);
});

test.each([
	['', ''],
	['x'.repeat(200), 'x'.repeat(200)],
	[long, `${'x'.repeat(199)}…`],
	[`${'x'.repeat(198)}😀x`, `${'x'.repeat(198)}…`],
])('a row repeats a cell in 200 characters: %#', (text, shown) => {
	expect(repeated(text)).toBe(shown);
});
