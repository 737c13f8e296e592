'use strict';

// Saves what n8n shows and stores of the package's classes to test/fixtures/descriptions: run it
// (`npm run descriptions:save`) to change the saved copy knowingly, and read its diff. Names that are new are added to
// test/fixtures/names, from where none is ever removed: users' workflows hold them.
const { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..');
const SAVED = path.join(ROOT, 'test/fixtures/descriptions');
const NAMES = path.join(ROOT, 'test/fixtures/names');

/** Methods of a node that n8n looks for; a node that loses one no longer does what its description says. */
const HANDLERS = ['execute', 'poll', 'webhook', 'webhookMethods', 'methods', 'authenticate'];

/**
 * The value as JSON can hold it: a function becomes the text `(function)`, and a key that is a symbol
 * becomes the symbol's text, so that n8n's webhook resolvers are compared as well.
 * @param {unknown} value
 * @returns {unknown}
 */
function plain(value) {
	if (typeof value === 'function') return '(function)';
	if (Array.isArray(value)) return value.map(plain);
	if (typeof value !== 'object' || value === null) return value;
	const keys = Reflect.ownKeys(value).filter((key) => value[key] !== undefined);
	return Object.fromEntries(keys.map((key) => [String(key), plain(value[key])]));
}

/**
 * All that n8n reads of a node's or a credential's class, without its code.
 * @param {new () => object} Class
 * @returns {Record<string, unknown>}
 */
function describeClass(Class) {
	const instance = plain(new Class());
	const inherited = HANDLERS.filter((name) => typeof Class.prototype[name] === 'function');
	return { ...instance, ...Object.fromEntries(inherited.map((name) => [name, '(function)'])) };
}

/**
 * What workflows store of a class: paths of the names of its fields and options, and of the values of their choices.
 * @param {unknown} entry
 * @param {string} at
 * @returns {string[]}
 */
function namesIn(entry, at) {
	if (Array.isArray(entry)) return entry.flatMap((one) => namesIn(one, at));
	if (typeof entry !== 'object' || entry === null) return [];
	const { name, value, properties, options, values, modes } = entry;
	const own = value ?? name;
	const path = own === undefined ? at : `${at}.${own}`;
	const below = [properties, options, values, modes].flatMap((list) => namesIn(list, path));
	return path === at ? below : [path, ...below];
}

/**
 * @param {Record<string, unknown>} described as {@link describeClass} gives it
 * @returns {string[]} each name once, beginning with that of the class
 */
const namesOf = (described) => [...new Set(namesIn(described.description ?? described, ''))];

/**
 * The names that a class has ever had.
 * @param {string} name of the class
 * @returns {string[]}
 */
function savedNames(name) {
	const file = path.join(NAMES, `${name}.txt`);
	return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Writes one file per class of the built package. */
async function save() {
	const prettier = await import('prettier');
	const options = await prettier.resolveConfig(path.join(SAVED, 'any.json'));
	mkdirSync(SAVED, { recursive: true });
	for (const [name, Class] of Object.entries(require(ROOT))) {
		const file = path.join(SAVED, `${name}.json`);
		const described = describeClass(Class);
		const text = JSON.stringify(described);
		writeFileSync(file, await prettier.format(text, { ...options, parser: 'json' }));
		const known = new Set(savedNames(name));
		const added = namesOf(described).filter((one) => !known.has(one));
		mkdirSync(NAMES, { recursive: true });
		appendFileSync(path.join(NAMES, `${name}.txt`), added.map((one) => `${one}\n`).join(''));
		console.log(`descriptions: ${path.relative(ROOT, file)}`);
	}
}

if (require.main === module) void save();

module.exports = { SAVED, describeClass, namesOf, savedNames };
