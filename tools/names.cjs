'use strict';

// Adds to test/fixtures/names what workflows and credentials can store of the package and could not before: run it
// (`npm run names:add`) with a new field or choice. It never removes a name, because users have saved it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..');
const PACKAGE = 'n8n-nodes-price-collection';

/** Fields that only show something. Nothing is stored for them. */
const SHOWN_ONLY = ['notice', 'callout', 'button'];

/** Fields whose default is a text for readers. It may be improved for users who have not written their own. */
const PROSE = ['toolDescription'];

/**
 * The paths of the fields in a list, their choices and, outside collections, their defaults: n8n omits values that
 * equal the default, so workflows rely on it.
 * @param {any[]} fields
 * @param {string} at
 * @returns {string[]}
 */
function fieldsIn(fields, at = '') {
	const stored = fields.filter(({ type }) => !SHOWN_ONLY.includes(type));
	return stored.flatMap(({ name, type, default: usual, options = [], modes = [], values }) => {
		const own = at + name;
		// The choices of a collection are fields, and those of a fixed one groups of fields.
		if (values !== undefined) return [own, ...fieldsIn(values, `${own}.`)];
		if (/collection$/i.test(type)) return [own, ...fieldsIn(options, `${own}.`)];
		const choices = options.map(({ value }) => `${own}=${value}`);
		const kinds = modes.map((mode) => `${own}.mode=${mode.name}`);
		const meant = at !== '' || PROSE.includes(name) ? [] : [`${own} by default ${JSON.stringify(usual)}`];
		return [own, ...meant, ...choices, ...kinds];
	});
}

/**
 * What workflows and credentials can store of a class: its type, and the paths, defaults and choices of its fields.
 * @param {new () => any} Class of a node or a credential
 * @returns {string[]} sorted, each once
 */
function namesOf(Class) {
	const { description, name, properties } = new Class();
	const fields = fieldsIn(description?.properties ?? properties);
	const type = description
		? [
				`type=${PACKAGE}.${description.name}`,
				...[description.version].flat().map((version) => `typeVersion=${version}`),
				...(description.credentials ?? []).map((credential) => `credentials.${credential.name}`),
			]
		: [`type=${name}`];
	return [...new Set([...type, ...fields])].sort();
}

const fileOf = (className) => path.join(ROOT, 'test/fixtures/names', `${className}.txt`);

/**
 * Everything that the class could ever store.
 * @param {string} className
 * @returns {string[]}
 */
function savedNames(className) {
	const file = fileOf(className);
	return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

/** Adds what is new in the built package. */
function add() {
	for (const [className, Class] of Object.entries(require(ROOT))) {
		const saved = savedNames(className);
		const all = [...new Set([...saved, ...namesOf(Class)])].sort();
		writeFileSync(fileOf(className), all.map((one) => `${one}\n`).join(''));
		console.log(`names: ${className}: ${all.length - saved.length} added`);
	}
}

if (require.main === module) add();

module.exports = { namesOf, savedNames };
