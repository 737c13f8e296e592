'use strict';

// Adds to test/fixtures/names what workflows and credentials can store of the package and could not before: run it
// (`npm run names:add`) with a new field or choice. It never removes: users have saved what stands there.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..');
const PACKAGE = 'n8n-nodes-price-collection';

/** Fields that only show something, of which nothing is stored. */
const SHOWN_ONLY = ['notice', 'callout', 'button'];

/** Fields whose default is a text for readers, which may be improved for all who have not written their own. */
const PROSE = ['toolDescription'];

/**
 * The fields of a list with the path of each, its choices, and the default of what is no option in a collection: n8n leaves
 * out of a workflow what equals that, so that a workflow which says nothing means it.
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
 * All that workflows and credentials can store of a class: its type, the paths of its fields, their defaults and choices.
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
 * What the class has ever stored.
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
