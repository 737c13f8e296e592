// Writes the lists of fields in docs/reference.md from what the built nodes and the credential say of themselves:
// `npm run reference:write`. `--check` only looks whether the page holds them. A field stands once, where it comes
// first; a later list has what is new or means something else.
import { readFileSync, writeFileSync } from 'node:fs';
import classes from '../index.js';

const PAGE = 'docs/reference.md';
const END = '<!-- end -->';
const OF_EVERY_OPERATION = new Set(['operation', 'resource', 'toolDescription']);

const propertiesOf = (Class) => {
	const { description, properties } = new Class();
	const fields = description?.properties ?? properties;
	// The panel says so of a field where it is not used; the hint says where that is.
	return fields.map((field) => ({
		...field,
		displayName: field.displayName.replace(/ \(Not Used\)$/, ''),
	}));
};

const NODE = propertiesOf(classes.PriceCollection);

/** The fields of a resource or of one of its operations. What all of these are shown for is no condition of theirs. */
const fieldsOf = (resource, operation) =>
	NODE.flatMap((field) => {
		const { resource: resources, operation: operations, ...show } = field.displayOptions?.show ?? {};
		if (OF_EVERY_OPERATION.has(field.name) || !resources.includes(resource)) return [];
		if (operation === undefined) return { ...field, displayOptions: { show: { operation: operations } } };
		return operations.includes(operation) ? { ...field, displayOptions: { show } } : [];
	});

const COLLECT = fieldsOf('job', 'collect');

/** The fields of each place in the page, in the order in which they come there. */
const PLACES = {
	credential: propertiesOf(classes.PriceCollectionApi),
	'what to collect': fieldsOf('job', 'create'),
	results: COLLECT.filter(({ name }) => !name.startsWith('wait')),
	waiting: COLLECT,
	jobs: fieldsOf('job'),
	migration: fieldsOf('migration'),
	triggers: [classes.PriceCollectionTrigger, classes.PriceCollectionPollingTrigger].flatMap(propertiesOf),
};

const unique = (values) => [...new Set(values)];
const italic = (names) => unique(names.map((name) => `*${name}*`)).join(', ');
const namesOf = (choices) => italic(choices.map(({ name }) => name));

/** Texts as the sentences of a cell, which ends without a full stop. */
const sentences = (texts) =>
	unique(texts.filter(Boolean).map((text) => text.replace(/\.$/, '')))
		.join('. ')
		.replace(/[<*]/g, String.raw`\$&`);

/** What a field holds until it is changed. */
function defaultOf({ type, default: given, options = [] }) {
	const value = given?.value ?? given;
	const chosen = options.filter((choice) => [value].flat().includes(choice.value));
	if (chosen.length > 0) return namesOf(chosen);
	if (type === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value !== '' ? `\`${value.replace(/^=/, '')}\`` : '';
}

/** The choices for which n8n shows this one of the fields that share a name. */
const shownFor = ({ displayOptions: { show = {} } = {} }) =>
	Object.entries(show).flatMap(([path, values]) => {
		if (path === '@tool') return values[0] ? { name: 'AI tool' } : [];
		const leading = NODE.filter(({ name }) => name === path.replace('/', ''));
		return leading.flatMap(({ options = [] }) => options.filter(({ value }) => values.includes(value)));
	});

/** The default of fields that share a name: one for all, or each with the choices for which it holds. */
function defaultsOf(fields) {
	const defaults = [...Map.groupBy(fields, defaultOf)];
	const isRequired = fields.some(({ required }) => required);
	if (defaults.length === 1) return defaults[0][0] || (isRequired ? 'required' : '');
	return defaults
		.filter(([text]) => text !== '')
		.map(([text, those]) => {
			const choices = namesOf(those.flatMap(shownFor));
			return choices ? `${text} for ${choices}` : `${text} otherwise`;
		})
		.join('; ');
}

/** The choices of fields that share a name, without the defaults. The panel explains them. Names of columns are too many. */
function choicesOf(fields, given) {
	const lists = fields.filter(({ type }) => type === 'options');
	return namesOf(
		lists.flatMap(({ options }) => options).filter(({ name }) => !given.includes(`*${name}*`)),
	);
}

/** What a field is for. n8n wants switches to begin with Whether, which says nothing beside on and off. */
const describe = ({ description }) =>
	description?.replace(/^Whether (?:to )?(.)/, (_, first) => first.toUpperCase());

/** What the panel says of a field: its meaning, and its hint. */
const textOf = (field) => sentences([describe(field), field.hint]);

/** The meaning of fields that share a name. What differs between those with several labels is said for each. */
function meaningOf(fields) {
	const byLabel = [...Map.groupBy(fields, ({ displayName }) => displayName).values()];
	if (byLabel.length === 1 || unique(fields.map(textOf)).length === 1)
		return sentences(fields.flatMap((field) => [describe(field), field.hint]));
	const common = unique(fields.map(describe)).length === 1 ? sentences(fields.map(describe)) : '';
	const ofEach = byLabel.map(([field]) => {
		const text = common === '' ? textOf(field) : sentences([field.hint]);
		return text && `*${field.displayName}*: ${text}`;
	});
	return [common, ...ofEach].filter(Boolean).join('. ');
}

/** The entry of fields that share a name: names, default and other choices, meaning. */
function entryOf(fields) {
	const names = unique(fields.map(({ displayName }) => `**${displayName}**`)).join(', ');
	const given = defaultsOf(fields);
	const inBrackets = [given, choicesOf(fields, given)].filter(Boolean).join('; or ');
	const text = meaningOf(fields);
	return `- ${names}${inBrackets && ` (${inBrackets})`}${text && `: ${text}`}`;
}

const listed = new Set();
const textsOf = ({ displayName, description, hint }) => [displayName, description, hint].join();

/** A list of the fields that no list has yet, and one for each collection of options. */
function listsOf(fields) {
	const all = fields.flatMap((field) => {
		if (field.type !== 'collection') return field.type === 'notice' ? [] : { ...field, group: '' };
		return field.options.map((option) => ({ ...option, group: `*${field.displayName}*:\n\n` }));
	});
	const added = all.filter((field) => !listed.has(textsOf(field)));
	for (const field of added) listed.add(textsOf(field));
	return [...Map.groupBy(added, ({ group }) => group)].map(([group, those]) => {
		const entries = [...Map.groupBy(those, ({ name }) => name).values()].map(entryOf);
		return `${group}${entries.join('\n')}\n`;
	});
}

/** The page with other lists in one of its places. */
function withLists(page, [place, fields]) {
	const begin = `<!-- fields: ${place} -->\n`;
	const start = page.indexOf(begin) + begin.length;
	const end = page.indexOf(END, start);
	if (!page.includes(begin) || end < 0)
		throw new Error(`${PAGE} has no place for fields: ${begin}… ${END}`);
	return `${page.slice(0, start)}\n${listsOf(fields).join('\n')}\n${page.slice(end)}`;
}

const page = readFileSync(PAGE, 'utf8');
const current = Object.entries(PLACES).reduce(withLists, page);
if (!process.argv.includes('--check')) writeFileSync(PAGE, current);
else if (current !== page) {
	console.error(
		`reference: ${PAGE} is not what the descriptions say; npm run reference:write makes it anew`,
	);
	process.exitCode = 1;
}
