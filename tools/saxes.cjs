'use strict';

const { readFile } = require('node:fs/promises');

/**
 * What is changed in saxes while it is bundled: the parser makes an object and a list for every element and drops them
 * at once. Where they come from literals, V8 notes how many outlive a collection of garbage, and does so from the first
 * few hundred only. In some processes all of those happen to, and from then on V8 puts every one of them among the
 * long-lived objects, where they keep alive what they point to: the same document takes twice the time and twice the
 * memory. V8 keeps no such notes about what a constructor makes, nor about a list that is used again.
 * (`node --trace-pretenuring-statistics` shows its decisions; with `--single-threaded` they come out the same each time.)
 */
const CHANGES = [
	[
		/this\.tag = \{\s*name: this\.name,\s*attributes: Object\.create\(null\),\s*\};/g,
		'this.tag = new PlainTag(this.name);',
		1,
	],
	[/const attr = \{ name, value \};/g, 'const attr = new PlainAttribute(name, value);', 1],
	[/(?<=attributes\[name\] = \w+;\s*\}\s*)this\.attribList = \[\];/g, 'this.attribList.length = 0;', 2],
];

const CONSTRUCTORS = `
class PlainTag {
	constructor(name) {
		this.name = name;
		this.attributes = Object.create(null);
	}
}
class PlainAttribute {
	constructor(name, value) {
		this.name = name;
		this.value = value;
	}
}
`;

/** @param {string} source of saxes.js */
function withConstructors(source) {
	let changed = source;
	for (const [place, replacement, times] of CHANGES) {
		const found = changed.match(place)?.length ?? 0;
		if (found !== times) throw new Error(`saxes has ${found} instead of ${times} places like ${place}`);
		changed = changed.replace(place, replacement);
	}
	return changed + CONSTRUCTORS;
}

/** For esbuild: bundles saxes without literals that V8 may take for long-lived. Fails for a saxes that it does not know. */
const saxesWithConstructors = {
	name: 'saxes-with-constructors',
	setup(build) {
		build.onLoad({ filter: /[\\/]saxes[\\/]saxes\.js$/ }, async ({ path }) => ({
			contents: withConstructors(await readFile(path, 'utf8')),
			loader: 'js',
		}));
	},
};

module.exports = { saxesWithConstructors };
