import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const text = readFileSync(join(__dirname, '../../../docs/migration.md'), 'utf8');

/** The rows of the table of changes: what version 1 had, and where that is known from. */
const rows = text
	.split('\n')
	.filter((line) => line.startsWith('|'))
	.map((line) => line.split('|').map((cell) => cell.trim()))
	.map((cells) => ({ old: cells[1] ?? '', from: cells[3] ?? '' }));

const from = (old: string) => rows.filter((row) => row.old.includes(old)).map((row) => row.from);

describe('the guide says where each change is known from', () => {
	it.each(['`POST /jobs`', 'no `topic`', '`source_id`, `keyword`', 'the legacy address'])(
		'%s stands in the document of the service',
		(old) => expect(from(old)[0]).toBe('D'),
	);

	it.each(['`GET /jobs`', '/products/bulk', '/settings/', 'google-shopping', '`products[]`'])(
		'%s was seen in practice only',
		(old) => expect(from(old)).toEqual(['P']),
	);

	it.each(['currentness', 'completeness', '/cancel'])('%s is inferred', (old) => {
		expect(from(old)).toEqual(['I']);
	});

	it('gives dates for version 1 alone, and none for the legacy address', () => {
		const dated = text.split('. ').filter((sentence) => sentence.includes('2026'));
		expect(dated).toHaveLength(1);
		expect(dated[0]).toContain('Version 1');
		expect(dated[0]).not.toContain('legacy');
	});
});
