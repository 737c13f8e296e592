import { readObjectText } from '../../../nodes/PriceCollection/migration/code/objects';
import { joined, parseTemplate } from '../../../nodes/PriceCollection/migration/code/template';
import { readPairs, writePairs } from '../../../nodes/PriceCollection/migration/request/pairs';

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
		'={\n  "topic": "search",\n  "a": "{{ $json.a }} \\" b",\n  "n": {{ $json.n }},\n  "l": ["{{ $json.x }}", {{ $json.y }}]\n}',
	],
	[
		"={{ JSON.stringify({ a: 'x', b: $json.list.map((one) => one.id), c }) }}",
		'={{ JSON.stringify({\n  "topic": "search",\n  "a": \'x\',\n  "b": $json.list.map((one) => one.id),\n  "c": c\n}) }}',
	],
	['={{ { "a": `x${$json.a}` } }}', '={{ {\n  "topic": "search",\n  "a": `x${$json.a}`\n} }}'],
	['={{ ({ a: 1 }) }}', '={{ ({\n  "topic": "search",\n  "a": 1\n}) }}'],
	[
		'={{ JSON.stringify({ a: 1 }, null, 2) }}',
		'={{ JSON.stringify({\n  "topic": "search",\n  "a": 1\n}, null, 2) }}',
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

const values = (value: unknown) =>
	readObjectText(value)?.entries.map(({ name, value: own, isBound = false }) => [name, own, isBound]);

it('gives values as n8n parameter values', () => {
	const text =
		'={ "a": "{{ $json.a }}", "b": "x", "c": {{ $json.c }}, "d": ["{{ $json.d }}", 1, "e"], "f": 2, "g": "=x" }';
	expect(values(text)).toEqual([
		['a', '={{ $json.a }}', false],
		['b', 'x', false],
		['c', '={{ $json.c }}', false],
		['d', '={{ [$json.d, 1, "e"] }}', false],
		['f', 2, false],
		['g', '={{ "=x" }}', false],
	]);
});

it.each([
	['={ "v": {{ JSON.stringify($json.keyword) }} }', '={{ $json.keyword }}', false],
	['={ "v": {{ 60 * 24 }} }', '={{ 60 * 24 }}', false],
	['={ "v": "{{ $json.eans.join(\'\\\\n\') }}" }', "={{ $json.eans.join('\\\\n') }}", true],
	['={ "v": {{ $json.list.map((one) => one.id) }} }', '={{ $json.list.map((one) => one.id) }}', true],
	['={{ { v: $json.eans.join("\\n") } }}', '={{ $json.eans.join("\\n") }}', false],
	['={{ { v: `x${$json.a}` } }}', '=x{{ $json.a }}', false],
])('decodes what leaves the text %s, or binds it', (text, value, isBound) => {
	expect(values(text)).toEqual([['v', value, isBound]]);
});

it.each([
	['v=garden+chair%21', 'garden chair!', false],
	['=v={{ encodeURIComponent($json.term) }}', '={{ $json.term }}', false],
	['=v={{ $json.term }}', '={{ $json.term }}', false],
	['=v={{ $json.term.trim() }}', '={{ $json.term.trim() }}', true],
	['v=100%', '100%', false],
	['v=a%3Db=c', 'a=b=c', false],
])('reads the pair %s, and writes it as it stood', (text, value, isBound) => {
	const pairs = readPairs(parseTemplate(text));
	expect(pairs.map((pair) => [pair.name, pair.value, pair.isBound ?? false])).toEqual([
		['v', value, isBound],
	]);
	expect(joined(writePairs(pairs))).toEqual(parseTemplate(text));
});

it('encodes a changed pair', () => {
	expect(
		writePairs([
			{ name: 'a b', value: 'c&d' },
			{ name: 'e', value: '={{ $json.e }}' },
		]),
	).toEqual([
		{ text: 'a%20b=' },
		{ text: 'c%26d' },
		{ text: '&e=' },
		{ code: 'encodeURIComponent($json.e)' },
	]);
});
