'use strict';

// Saves what n8n shows and stores of the package's classes to test/fixtures/descriptions: run it
// (`npm run descriptions:save`) to change the saved copy knowingly, and read its diff.
const { mkdirSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..');
const SAVED = path.join(ROOT, 'test/fixtures/descriptions');

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

/** Writes one file per class of the built package. */
async function save() {
	const prettier = await import('prettier');
	const options = await prettier.resolveConfig(path.join(SAVED, 'any.json'));
	mkdirSync(SAVED, { recursive: true });
	for (const [name, Class] of Object.entries(require(ROOT))) {
		const file = path.join(SAVED, `${name}.json`);
		const text = JSON.stringify(describeClass(Class));
		writeFileSync(file, await prettier.format(text, { ...options, parser: 'json' }));
		console.log(`descriptions: ${path.relative(ROOT, file)}`);
	}
}

if (require.main === module) void save();

module.exports = { SAVED, describeClass };
