// Writes the lists of fields in docs/reference.md from the descriptions in the built nodes and the credential:
// `npm run reference:write`. `--check` only compares the page with them. The page lists a field at the first of its
// places. Later lists only have fields that are new or mean something else.
import { readFileSync, writeFileSync } from 'node:fs';
import classes from '../index.js';

const PAGE = 'docs/reference.md';
const END = '<!-- end -->';
/** Fields of every operation, and fields that many n8n nodes have. */
const USUAL_FIELDS = new Set(['operation', 'resource', 'toolDescription', 'returnAll', 'limit']);
/** Text fields for the same settings as the lists before them. The page mentions them once. */
const SETTINGS_AS_TEXT = new Set(['fieldNamesText', 'requestNamesText']);
/** Fields that their names, or the other text of the page, explain. The page lists them without their descriptions. */
const EXPLAINED_BY_NAME = new Set(
	(
		'username password parameterName headerName requestBody requestNames lookupValues countryCase testSource ' +
		'finishedStatuses failedStatuses cancelledStatuses formatParameter firstPage pageSizeParameter cursorParameter ' +
		'webhookUrlParameter customizeService topic customTopic customKey output columns includeInputFields fileName ' +
		'format onFailedResult priceFormat maxCharacters binaryPropertyName waitMode maxWait conversion httpMethod events'
	).split(' '),
);

const propertiesOf = (Class) => {
	const { description, properties } = new Class();
	const fields = description?.properties ?? properties;
	// The panel shows another label while a field is not used.
	return fields
		.filter(({ name }) => !SETTINGS_AS_TEXT.has(name))
		.map((field) => ({ ...field, displayName: field.displayName.replace(/ \(Not Used\)$/, '') }));
};

const NODE = propertiesOf(classes.PriceCollection);

/** The fields of a resource or of one of its operations, without the display conditions that they all share. */
const fieldsOf = (resource, operation) =>
	NODE.flatMap((field) => {
		const { resource: resources, operation: operations, ...show } = field.displayOptions?.show ?? {};
		if (USUAL_FIELDS.has(field.name) || !resources.includes(resource)) return [];
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

/** The texts as the sentences of a cell, without the last full stop. */
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
		const leading = NODE.filter(({ name }) => name === path.replace('/', ''));
		return leading.flatMap(({ options = [] }) => options.filter(({ value }) => values.includes(value)));
	});

const isForTools = ({ displayOptions: { show = {} } = {} }) => show['@tool']?.[0] === true;

/** The default of fields that share a name: one for all, or each with the choices for which it holds. */
function defaultsOf(fields) {
	const ofNodes = fields.filter((field) => !isForTools(field));
	const defaults = [...Map.groupBy(ofNodes.length > 0 ? ofNodes : fields, defaultOf)];
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

/** What a field is for. n8n requires "Whether" at the beginning for switches; beside "on" and "off" it is superfluous. */
const describe = ({ name, description }) =>
	EXPLAINED_BY_NAME.has(name)
		? undefined
		: description?.replace(/^Whether (?:to )?(.)/, (_, first) => first.toUpperCase());

/** The meanings of fields that share a name. The panel's hints only repeat them. */
const meaningOf = (fields) => sentences(fields.map(describe));

/** The entry of fields that share a name: its labels with the default, and its meaning. The panel explains the choices. */
function entryOf(fields) {
	const names = unique(fields.map(({ displayName }) => `**${displayName}**`)).join(', ');
	const given = defaultsOf(fields);
	return { label: `${names}${given && ` (${given})`}`, text: meaningOf(fields) };
}

/** A list of entries. Those without a text share a line. */
function listOf(entries) {
	const lines = entries.filter(({ text }) => text).map(({ label, text }) => `- ${label}: ${text}`);
	const others = entries.filter(({ text }) => !text).map(({ label }) => label);
	return [...lines, ...(others.length > 0 ? [`- ${others.join(', ')}`] : [])].join('\n');
}

const listed = new Set();
const textsOf = ({ displayName, description }) => [displayName, description].join();

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
		return `${group}${listOf(entries)}\n`;
	});
}

/** The page with new lists in one of its places. */
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
	console.error(`reference: ${PAGE} differs from the descriptions; run npm run reference:write`);
	process.exitCode = 1;
}
