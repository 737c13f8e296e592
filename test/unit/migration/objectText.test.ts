import { readObjectText } from '../../../nodes/PriceCollection/migration/objectText';

/** Adds an entry in front, as the conversion does with the topic. */
const withTopic = (value: unknown): unknown => {
	const text = readObjectText(value);
	return text?.write([{ name: 'topic', value: 'search' }, ...text.entries]);
};

it.each([
	[{ a: 1 }, { topic: 'search', a: 1 }],
	['{ "a": 1, "b": ["x"] }', JSON.stringify({ topic: 'search', a: 1, b: ['x'] }, null, 2)],
	[
		'={ "a": "{{ $json.a }} \\" b", "n": {{ $json.n }}, "l": ["{{ $json.x }}", {{ $json.y }}] }',
		'={\n  "topic": "search",\n  "a": "{{ $json.a }} \\" b",\n  "n": {{ $json.n }},\n  "l": ["{{ $json.x }}",{{ $json.y }}]\n}',
	],
	[
		"={{ JSON.stringify({ a: 'x', b: $json.list.map((one) => one.id), c }) }}",
		'={{ JSON.stringify({ "topic": "search", "a": \'x\', "b": $json.list.map((one) => one.id), "c": c }) }}',
	],
	['={{ { "a": `x${$json.a}` } }}', '={{ { "topic": "search", "a": `x${$json.a}` } }}'],
	['={{ ({ a: 1 }) }}', '={{ ({ "topic": "search", "a": 1 }) }}'],
	[
		'={{ JSON.stringify({ a: 1 }, null, 2) }}',
		'={{ JSON.stringify({ "topic": "search", "a": 1 }, null, 2) }}',
	],
])('reads and writes %j', (value, written) => {
	expect(withTopic(value)).toEqual(written);
});

it.each([
	['={{ $json }}'],
	['={{ { ...$json, a: 1 } }}'],
	['={{ { [$json.a]: 1 } }}'],
	['={{ Object.assign({}, $json) }}'],
	['a=1'],
	['[1]'],
	[''],
	[3],
])('does not claim to understand %j', (value) => {
	expect(readObjectText(value)).toBeUndefined();
});

it('gives values as n8n parameter values', () => {
	const text = readObjectText(
		'={ "a": "{{ $json.a }}", "b": "x", "c": {{ $json.c }}, "d": ["{{ $json.d }}", 1, "e"], "f": 2 }',
	);
	expect(text?.entries.map(({ name, value }) => [name, value])).toEqual([
		['a', '={{ $json.a }}'],
		['b', 'x'],
		['c', '={{ $json.c }}'],
		['d', '={{ [`${$json.d}`, 1, "e"] }}'],
		['f', 2],
	]);
});
