import { readPath } from '../../../nodes/PriceCollection/migration/code/parse';
import { flattenTemplate, parseTemplate } from '../../../nodes/PriceCollection/migration/code/template';

it.each([
	['$json.a', { fields: ['a'] }],
	['$json["a b"][0]?.c', { fields: ['a b', 0, 'c'] }],
	['($input.item.json.a)', { fields: ['a'] }],
	['$input.first().json.a', { fields: ['a'] }],
	["$('Get').item.json.a", { node: 'Get', fields: ['a'] }],
	['$(`Get`).all()[0].json.a', { node: 'Get', fields: ['a'] }],
	['$node["Get it"].json.a', { node: 'Get it', fields: ['a'] }],
	['$node.Get.json', { node: 'Get', fields: [] }],
	['$items("Get")[0].json.a', { node: 'Get', fields: ['a'] }],
	['items[0].json.a', { fields: ['a'] }],
	['$vars.A', { variable: '$vars', fields: ['A'] }],
])('reads %s as a plain path', (code, path) => {
	expect(readPath(code)).toEqual(path);
});

it.each([
	'$json.a.trim()',
	'$json[$json.b]',
	'$json.a + 1',
	"$('Get').item.json.a ?? 1",
	'$(name).item.json.a',
	"$('Get').isExecuted",
	'$json.a; 1',
	'$json.a +',
	'',
])('does not take %s for one', (code) => {
	expect(readPath(code)).toBeUndefined();
});

it.each([
	["={{ $json.a + '/b/' + $json.c }}", [{ code: '$json.a' }, { text: '/b/' }, { code: '$json.c' }]],
	["={{ $json.a + $json.b + '/c' }}", [{ code: '$json.a + $json.b' }, { text: '/c' }]],
	['={{ `x${$json.a}/y` }}', [{ text: 'x' }, { code: '$json.a' }, { text: '/y' }]],
	["=a{{ $json.b ? 'c' : 'd' }}", [{ text: 'a' }, { code: "$json.b ? 'c' : 'd'" }]],
	["={{ 'it\\'s' }}", [{ text: "it's" }]],
])('takes %s apart', (value, parts) => {
	expect(flattenTemplate(value)).toEqual(parts);
});

it('ends an expression where n8n does, and leaves an open one as text', () => {
	expect(parseTemplate('={{ { a: 1 } }} {{ b')).toEqual([{ code: '{ a: 1 }' }, { text: ' {{ b' }]);
});
