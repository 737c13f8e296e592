import {
	convert,
	createNode,
	downloadNode,
	getNode,
	ifNode,
	kinds,
	LEGACY,
	links,
	messages,
	node,
	nodeOf,
} from './builder';

const MODES = ['replaceNodes', 'updateRequests'] as const;
const KEY = 'correct-horse-battery';
const withHeaders = (headers: Record<string, string>, more = {}) =>
	({
		...getNode('List', '/jobs'),
		parameters: {
			url: `${LEGACY}/jobs`,
			sendHeaders: true,
			headerParameters: {
				parameters: Object.entries(headers).map(([name, value]) => ({ name, value })),
			},
			...more,
		},
	}) as ReturnType<typeof getNode>;

describe.each(MODES)('a key in a header of a name of its own, %s', (mode) => {
	it('becomes the credential where nothing else signs the request in', () => {
		const result = convert([withHeaders({ 'X-Shop-Secret': KEY, Accept: 'application/json' })], {}, mode);
		expect(JSON.stringify(result)).not.toContain(KEY);
		expect(result.report).toContain('Authentication "Header", Header Name "X-Shop-Secret"');
		expect(nodeOf(result, 'List').parameters).toMatchObject({ nodeCredentialType: 'priceCollectionApi' });
	});

	it.each([
		[{ token: KEY, 'X-Trace': 'abcdefghij' }, {}, ['X-Trace']],
		[{ 'X-Shop-Secret': KEY, 'X-Trace': 'abcdefghij' }, {}, ['X-Shop-Secret', 'X-Trace']],
		[
			{ 'X-Trace': 'abcdefghij' },
			{ authentication: 'predefinedCredentialType', nodeCredentialType: 'priceCollectionApi' },
			['X-Trace'],
		],
	])('stays with a warning that names it where %j can be told apart by nobody', (headers, more, named) => {
		const result = convert([withHeaders(headers, more)], {}, mode);
		expect(messages(result.warnings).filter((text) => text.includes('may hold a key'))).toEqual(
			named.map((name) => `The header "${name}" may hold a key, and stays.`),
		);
		expect(JSON.stringify(nodeOf(result, 'List').parameters)).toContain('abcdefghij');
	});
});

describe.each(MODES)('a download whose results go to whoever called the workflow, %s', (mode) => {
	it.each([
		node('Called', 'executeWorkflowTrigger'),
		node('Called', 'webhook', { responseMode: 'lastNode' }),
	])('keeps the shape of version 1 whichever way a condition took: %j', (called) => {
		const result = convert(
			[called, ifNode('By GTIN?'), createNode('A'), createNode('B'), downloadNode()],
			links('Called>By GTIN?', 'By GTIN?>A', 'By GTIN?:1>B', 'A>Download', 'B>Download'),
			mode,
		);
		expect(kinds(result).at(-1)).toBe('Download set');
	});
});
