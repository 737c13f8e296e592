import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { ICredentialType, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { PROBLEMS } from '../../../nodes/PriceCollection/service/problems';
import { blocksOf, PAGES, proseOf, readText, ROOT, tableRows, USER_PAGES } from '../../documents';

/** Words in italics are those on the screen: of this package, or of n8n's editor and its nodes. */
const OF_N8N = [
	...[
		'Settings',
		'On Error',
		'Continue (using error output)',
		'Always Output Data',
		'Retry On Fail',
		'Retry',
	],
	...['Execute step', 'Timeout Workflow', 'Production URL', 'Fetch Test Event', 'Timeout', 'Publish'],
	...["Couldn't connect with these settings", 'Connection tested successfully', 'crashed'],
	...[
		'AI Agent',
		'Google Sheets',
		'Get row(s) in sheet',
		'MCP Server Trigger',
		'Remove Duplicates',
		'Postgres',
		'Execute Query',
		'Wait',
	],
	...['Remove Items Processed in Previous Executions', 'Cell Format', 'Let Google Sheets format'],
	...['Let n8n format', 'The specified package could not be loaded', 'Retry-After'],
	'Class could not be found. Please check if the class is named correctly.',
];

/** Sentences of the node that pages quote. */
const OF_HINTS = [
	'The test source costs nothing.',
	'Before version 2.39, n8n cannot suspend this node without losing jobs.',
];

const described: Array<ICredentialType | INodeTypeDescription> = [
	new PriceCollectionApi(),
	new PriceCollection().description,
	new PriceCollectionTrigger().description,
	new PriceCollectionPollingTrigger().description,
];

/** Every label and choice below some properties. */
function labelsOf(entry: unknown): string[] {
	if (Array.isArray(entry)) return entry.flatMap(labelsOf);
	if (typeof entry !== 'object' || entry === null) return [];
	const { displayName, name, ...rest } = entry as Partial<INodeProperties>;
	const own = [displayName, displayName === undefined ? name : undefined].filter(
		(text) => text !== undefined,
	);
	return [...own, ...Object.values(rest).flatMap(labelsOf)];
}

const outputs = ['Finished', 'Still Running'];
const LABELS = new Set([
	...described.flatMap(({ displayName, properties }) => [displayName, ...labelsOf(properties)]),
	...outputs,
	...OF_N8N,
	...OF_HINTS,
]);

/** The words in italics on a page, without code. */
function italicsOf(page: string): string[] {
	const prose = proseOf(page)
		.replaceAll(/`[^`\n]*`/g, '')
		.replaceAll(/\]\([^)]*\)/g, ']')
		.replaceAll('**', ' ');
	const spans = [...prose.matchAll(/(?<![\w*])([*_])(?=\S)([^*_|\n]+?)(?<=\S)\1(?![\w*])/g)];
	return spans.map(([, , words = '']) => words);
}

const sources = readdirSync(path.join(ROOT, 'nodes'), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => readFileSync(path.join(ROOT, 'nodes', file), 'utf8'))
	.join('\n');

/** Whether a text, whose `…` stand for what differs, is one that the node can show. */
function isShown(text: string): boolean {
	const messages = Object.values(PROBLEMS).flatMap(({ message, advice }) => [message, advice]);
	const parts = text.split('…').map((part) => part.trim());
	if (parts.length === 1 && messages.includes(text)) return true;
	return parts.every((part) => sources.includes(part));
}

test.each(USER_PAGES)('%s calls fields and choices by the names on the screen', (page) => {
	const words = italicsOf(page).flatMap((span) => (LABELS.has(span) ? [] : span.split(/ → |: /)));
	expect([...new Set(words)].filter((word) => !LABELS.has(word))).toEqual([]);
});

test('words in italics are found in both spellings, and other ones noticed', () => {
	const found = USER_PAGES.map((page) => italicsOf(page).length);
	expect(found.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200);
	expect(LABELS.has('Maximum Wait')).toBe(false);
});

test('docs/not-shown.md names settings of the credential in italics and of the nodes in bold', () => {
	const settings = tableRows(readText('docs/not-shown.md')).map((cells) => cells[3] ?? '');
	const bold = settings.flatMap((cell) => [...cell.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word]) => word));
	const italic = settings.flatMap((cell) => [...cell.matchAll(/_([^_]+)_/g)].map(([, word]) => word));
	expect(bold.length).toBeGreaterThan(20);
	expect([...bold, ...italic].filter((word) => !LABELS.has(word ?? ''))).toEqual([]);
});

const troubles = tableRows(readText('README.md').split('\n## Troubleshooting\n')[1]?.split('\n## ')[0] ?? '');

test('the texts under Troubleshooting are many', () => expect(troubles.length).toBeGreaterThan(15));

test.each(troubles)('"%s" is a text of the node', (text) => {
	expect(isShown(text)).toBe(true);
});

test('a text that the node never shows would be noticed', () => {
	expect(isShown('The service did not like the key')).toBe(false);
	expect(isShown('This run would cost nothing … at all')).toBe(false);
});

/** The names of all parameters below some properties, those of options included. */
function namesOf(entry: unknown): string[] {
	if (Array.isArray(entry)) return entry.flatMap(namesOf);
	if (typeof entry !== 'object' || entry === null) return [];
	const { name, ...rest } = entry as { name?: string };
	return [...(name === undefined ? [] : [name]), ...Object.values(rest).flatMap(namesOf)];
}

interface Snippet {
	nodes?: Array<{ name: string; type: string; parameters: Record<string, unknown> }>;
}

const examples = readdirSync(path.join(ROOT, 'examples')).filter((file) => file.endsWith('.json'));
const snippets: Array<[string, string]> = [
	...examples.map((file): [string, string] => [`examples/${file}`, readText(`examples/${file}`)]),
	...PAGES.flatMap(blocksOf)
		.filter(({ language, text }) => language === 'json' && text.includes('"nodes"'))
		.map(({ page, text }): [string, string] => [page, text]),
];

test.each(snippets)('the workflow in %s sets only parameters that there are', (_where, text) => {
	for (const { type, name, parameters } of (JSON.parse(text) as Snippet).nodes ?? []) {
		const of = described.find(
			(one) => type === `n8n-nodes-price-collection.${one.name}`.replace(/Tool$/, ''),
		);
		if (of === undefined) continue;
		const known = new Set(namesOf(of.properties));
		const set = Object.entries(parameters).flatMap(([key, value]) =>
			key === 'options' || key.endsWith('Options') ? [key, ...Object.keys(value as object)] : [key],
		);
		const n8ns = ['pollTimes', 'toolDescription'];
		expect([name, set.filter((key) => !known.has(key) && !n8ns.includes(key))]).toEqual([name, []]);
	}
});
