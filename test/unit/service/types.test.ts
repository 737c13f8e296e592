import { echoedKey, echoedValue, terminalStatus } from '../../../nodes/PriceCollection/service/types';

test.each([
	['finished', ['finished', ' Finished ']],
	['cancelled', ['cancelled', 'canceled', 'CANCELLED']],
	[undefined, ['new', 'working', 'finishing', 'failed', 'unheard of', '', null, undefined, 1]],
])('%p is meant by %j: what is unknown runs', (end, statuses) => {
	for (const status of statuses) expect(terminalStatus(status)).toBe(end);
});

describe('echoedValue', () => {
	test.each([
		['value', { value: 'a', values: 'b', key: 'id', id: 'c' }, 'a'],
		['a number', { value: 12 as unknown as string }, '12'],
		['the only one of values', { values: 'b\n' }, 'b'],
		['the only one of a list', { values: ['b'] }, 'b'],
		['the field named like the echoed key', { key: 'gtin', gtin: '123' }, '123'],
		['the field named like the key of the job', { id: '9' }, '9'],
		['nothing where several values are echoed', { values: 'a\nb' }, undefined],
		['nothing where it does not tell', { value: '', source: 'test' }, undefined],
		['nothing where there is no query', undefined, undefined],
	])('reads %s', (_name, query, value) => {
		expect(echoedValue(query, 'id')).toBe(value);
	});
});

describe('echoedKey', () => {
	test.each([
		['key', { key: 'gtin', id: '9' }, 'gtin'],
		['the only field that is named like a lookup value', { term: 'kettle', source: 'idealo' }, 'term'],
		['nothing beside a value: the field may be anything', { value: 'kettle', id: '9' }, undefined],
		['nothing where several fields could be it', { id: '9', term: 'kettle' }, undefined],
		['nothing where no field is', { source: 'idealo' }, undefined],
	])('reads %s', (_name, query, key) => {
		expect(echoedKey(query)).toBe(key);
	});
});
