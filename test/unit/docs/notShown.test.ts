import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../../..');
const text = readFileSync(path.join(ROOT, 'docs/not-shown.md'), 'utf8');

/** The places of the document that say "not shown"; one that leaves several things open has a row for each. */
const PLACES = [
	'2.1 Other fields of a job',
	...'source country key value id term max_pages max_age sort_by condition shipping'
		.split(' ')
		.map((name) => `2.2 Whether \`${name}\` is required`),
	'2.2 Full set of parameters, by topic, units, values',
	'2.3 Structure of non-empty content',
	'2.3 Set of reason values',
	'3 Other status values',
	'3 Transitions',
	'3 Status after cancel',
	'4 Response of POST `/v2/jobs`',
	'4 Query parameters of GET `/v2/jobs`',
	'4 Shape of the list',
	'4 Which of status and download has `results`',
	'4 Payload of cancel',
	'4 Response of cancel',
	'4 Shape of `usage_today`',
	'4 Shape of `usage_month`',
	'4 How JSON or XML is selected',
	'5 Method of authentication',
	'6 Webhook configuration, kinds, payload, delivery',
	'7 HTTP status codes',
	'7 Error body',
	'7 Error codes',
	'8 Rate limits',
	'8 Credit amounts',
	'8 Quotas',
	'8 Page limits and size limits',
	'9 Deprecation date of the legacy address',
];

const rows = text
	.split('\n')
	.filter((line) => /^\| \d/.test(line))
	.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);

test('every place that the document leaves open has one row', () => {
	expect(rows.map(([place]) => place).sort()).toEqual([...PLACES].sort());
	expect(text).toContain(`in ${PLACES.length} places`);
});

test.each(rows)('%s: default %s', (_place, ...cells) => {
	expect(cells).toHaveLength(4);
	for (const cell of cells) expect(cell).not.toBe('');
});

test('every test that is named exists', () => {
	const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file ?? '');
	expect(named.length).toBeGreaterThan(rows.length);
	expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
	for (const row of rows) expect(row.at(-1)).toMatch(/^`test\//);
});
