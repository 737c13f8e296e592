import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { blocksOf, PAGES, proseOf, readText, ROOT } from '../../documents';

/** Links, pictures, paths and commands of all pages lead somewhere. */
const DOCS = readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));

/** The anchor that GitHub and npm give a heading. */
function slugOf(heading: string): string {
	return heading
		.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
		.trim()
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
		.replaceAll(/\s/g, '-');
}

function anchorsOf(page: string): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} (.*)$/gm)) {
		const slug = slugOf(heading);
		let anchor = slug;
		for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
		anchors.add(anchor);
	}
	return anchors;
}

/** What a page links to, without addresses elsewhere. */
function linksOf(page: string): string[] {
	const prose = proseOf(page).replaceAll(/`[^`\n]*`(?!\]\()/g, '');
	return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, target = '']) => target)
		.filter((target) => !/^[a-z]+:/i.test(target));
}

/** Why a link leads nowhere; undefined where it does not. */
function faultOf(page: string, link: string): string | undefined {
	const [file = '', anchor] = link.split('#');
	const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
	if (!existsSync(path.join(ROOT, target))) return `there is no ${target}`;
	if (anchor === undefined) return undefined;
	return anchorsOf(target).has(anchor) ? undefined : `${target} has no heading for #${anchor}`;
}

describe.each(PAGES)('%s', (page) => {
	it('links only to what is there', () => {
		const faults = linksOf(page).map((link) => [link, faultOf(page, link)]);
		expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([]);
	});

	it('names only commands that there are', () => {
		const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
		const text = readText(page);
		const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
		expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);

		// As jest takes it: any file or folder whose path begins like this.
		const isThere = (part: string) => {
			const folder = path.join(ROOT, path.dirname(part));
			return (
				existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(path.basename(part)))
			);
		};
		const paths = [...text.matchAll(/(?:npx jest|npm run [\w:-]+ --) (test\/[\w/.-]+)/g)];
		const missing = paths.filter(([, part = '']) => !isThere(part));
		expect(missing.map(([command]) => command)).toEqual([]);
	});

	it('has JSON that can be read', () => {
		for (const { language, text } of blocksOf(page))
			if (language === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow();
	});
});

describe('the addresses of the documentation in n8n', () => {
	const described = [
		readText('credentials/PriceCollectionApi.credentials.ts'),
		...readdirSync(path.join(ROOT, 'nodes/PriceCollection'))
			.filter((name) => name.endsWith('.node.json'))
			.map((name) => readText(`nodes/PriceCollection/${name}`)),
	];
	const anchors = described.flatMap((text) =>
		[...text.matchAll(/github\.com\/[\w-]+\/[\w-]+#([\w-]+)/g)].map(([, anchor = '']) => anchor),
	);

	it('lead to chapters of the README', () => {
		expect(anchors.length).toBeGreaterThan(described.length);
		const chapters = anchorsOf('README.md').add('readme');
		expect(anchors.filter((anchor) => !chapters.has(anchor))).toEqual([]);
	});
});

describe('docs/README.md', () => {
	it('has a line for each page', () => {
		const listed = linksOf('docs/README.md');
		expect(DOCS.filter((name) => name !== 'README.md' && !listed.includes(name))).toEqual([]);
	});
});

describe('pictures', () => {
	const folder = path.join(ROOT, 'docs/images');
	const pictures = existsSync(folder) ? readdirSync(folder) : [];

	it('are all shown on a page, with words in their place', () => {
		const shown = PAGES.flatMap((page) =>
			[...proseOf(page).matchAll(/!\[([^\]]+)\]\([^)]*images\/([^)]+)\)/g)].map(([, , name]) => name),
		);
		expect(pictures.filter((name) => !shown.includes(name))).toEqual([]);
	});

	it('are those that npm run screenshots takes', () => {
		const tour = readdirSync(path.join(ROOT, 'test/ui'))
			.filter((name) => name.endsWith('.test.ts'))
			.map((name) => readText(`test/ui/${name}`))
			.join('\n');
		// With parts of the page that the documentation shows.
		const taken = [...tour.matchAll(/\.picture\(\s*'([\w-]+)',/g)].map(([, name]) => `${name}.png`);
		expect([...pictures].sort()).toEqual(taken.sort());
	});

	it('are small: 150 KB each, 1 MB in all', () => {
		const sizes = pictures.map((name) => statSync(path.join(folder, name)).size);
		expect(sizes.filter((size) => size > 150 * 1024)).toEqual([]);
		expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1024 * 1024);
	});
});
