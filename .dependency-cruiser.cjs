'use strict';

// Import rules, checked by `npm run architecture`: imports only point down. There are no exceptions here: code that breaks
// a rule is in the wrong folder.

const NODE = '^nodes/PriceCollection/';

/** The service's folders, top to bottom. */
const SERVICE = ['service/api', 'service/meaning', 'service/http', 'service'];

/**
 * Every folder with those that it may import from, top to bottom: a row names folders of later rows only. A folder
 * includes everything below it, except for subfolders that have a row of their own.
 */
const FOLDERS = {
	/** The classes that n8n loads, `*.node.ts`. */
	assembly: [
		'actions',
		'triggers/webhook',
		'triggers/polling',
		'methods',
		'waiting',
		'descriptions',
		'n8n',
	],
	/** What each operation does and the fields it shows, the registry of operations, the router. */
	actions: [
		...['waiting', 'delivery', 'creation', 'run', 'settings', 'rows', 'descriptions', 'migration', 'n8n'],
		...['service/api', 'service'],
	],
	/** What happens when the service calls a workflow. */
	'triggers/webhook': ['triggers', 'callback', 'descriptions', 'n8n', 'service/api', 'service'],
	/** What happens when a workflow asks for ended jobs. */
	'triggers/polling': ['triggers', 'descriptions', 'n8n', ...SERVICE],
	/** What both triggers share: their settings, the items of an ended job. */
	triggers: ['settings', 'rows', 'n8n', 'service/api', 'service/meaning', 'service'],
	/** The choices of From List, and the credential's test. */
	methods: ['values', 'descriptions', 'n8n', 'service/api', 'service/http', 'service'],
	/** Waits until jobs are over: checks them, sleeps, and is woken. */
	waiting: ['delivery', 'run', 'settings', 'callback', 'n8n', ...SERVICE],
	/** Turns ended jobs into the node's outputs: results, rows, errors, tickets. */
	delivery: [
		...['creation', 'run', 'settings', 'rows', 'values', 'descriptions', 'n8n'],
		...['service/api', 'service/meaning', 'service'],
	],
	/** Turns input items into existing jobs, each paid for once. */
	creation: ['run', 'settings', 'rows', 'values', 'callback', 'n8n', ...SERVICE],
	/** What creation, waiting and delivery share: the record of a job and the stored formats. */
	run: ['settings', 'rows', 'n8n', 'service/api', 'service'],
	/** Reads from a node's fields how the user wants rows, results and waits. */
	settings: ['rows', 'descriptions', 'n8n', 'service'],
	/** The credential's fields, and where the key goes. */
	credentials: ['descriptions', 'service'],
	/** Fields that several nodes or operations share. */
	descriptions: ['rows', 'n8n', 'service'],
	/** Turns results into rows, entries, the best price and compact answers. */
	rows: ['values', 'service'],
	/** What people have in their cells: values to look up, GTINs, countries, and which results are theirs. */
	values: ['service'],
	/** Signs callback URLs, verifies and reads a notification. */
	callback: ['service'],
	/** Rewrites workflows of version 1 for version 2. */
	migration: ['service'],
	/** What is n8n's: parameters, stored formats, errors, hints, item linking, clock, members that are not public. */
	n8n: ['service/api', 'service/http', 'service'],
	/** What can be asked of the service: requests, downloads, the job list. */
	'service/api': ['service/meaning', 'service/http', 'service'],
	/** What a reply means: refusals, jobs and results in it, what is known about a job. */
	'service/meaning': ['service/http', 'service'],
	/** Sends requests and reads bodies: repetitions, time limits, decoding. */
	'service/http': ['service'],
	/** What all three use: the credential's settings, addresses, formats, secrets, and the tables of names, status words, problems, topics. */
	service: [],
};

/** Folders that know nothing of n8n's runtime: they import types of n8n and of the other folders at most. */
const PURE = [...SERVICE, 'callback', 'rows', 'values'];

/** Files of these folders that others may import. The rest speaks to the wire, or serves the files that do. */
const SERVICE_EXPORTS = {
	'service/api': ['cancellation', 'client', 'download', 'downloads', 'jobList'],
	'service/meaning': ['jobState', 'parameterFaults'],
	'service/http': ['inFlight', 'pacing'],
};

const PRODUCT = '^(nodes|credentials)/';
const ENTRIES = '\\.(node|credentials)\\.ts$';

/** A regular expression for the files of a folder. */
function filesOf(folder) {
	if (folder === 'assembly') return `${NODE}[^/]+\\.node\\.ts$`;
	if (folder === 'credentials') return '^credentials/';
	const inner = Object.keys(FOLDERS).filter((other) => other.startsWith(`${folder}/`));
	const others = inner.map((other) => other.slice(folder.length + 1));
	return `${NODE}${folder}/${others.length > 0 ? `(?!(${others.join('|')})/)` : ''}`;
}

const anyOf = (folders) => folders.map(filesOf).join('|');

/** What a folder imports is in the folder or in one of those named beside it. */
function folderRule([folder, below], row, rows) {
	const later = rows.slice(row + 1).map(([name]) => name);
	const wrong = below.find((name) => !later.includes(name));
	if (wrong !== undefined) throw new Error(`${wrong} is not below ${folder}`);
	return {
		name: `folder ${folder}`,
		comment: `${folder} imports from ${below.join(', ') || 'no other folder'}.`,
		severity: 'error',
		from: { path: filesOf(folder) },
		to: { path: PRODUCT, pathNot: anyOf([folder, ...below]) },
	};
}

module.exports = {
	forbidden: [
		...Object.entries(FOLDERS).map(folderRule),
		{
			name: 'in a folder',
			comment: 'Every file is in a folder of the table FOLDERS.',
			severity: 'error',
			from: { path: PRODUCT, pathNot: anyOf(Object.keys(FOLDERS)) },
			to: {},
		},
		{
			name: 'no dead file',
			comment: 'Every file is reached from a node or a credential.',
			severity: 'error',
			from: { path: ENTRIES },
			to: { path: PRODUCT, pathNot: ENTRIES, reachable: false },
		},
		{
			name: 'no circle',
			comment: 'Two files that import each other are one idea, or a third one is hidden in them.',
			severity: 'error',
			from: { path: PRODUCT },
			to: { circular: true },
		},
		{
			name: 'own resource',
			comment: 'What two resources share is in actions/ or in a folder below.',
			severity: 'error',
			from: { path: `${NODE}actions/([^/]+)/` },
			to: { path: `${NODE}actions/[^/]+/`, pathNot: `${NODE}actions/$1/` },
		},
		{
			name: 'pure',
			comment: `${PURE.join(', ')} know nothing of n8n's runtime: types only.`,
			severity: 'error',
			from: { path: anyOf(PURE) },
			to: {
				path: `${PRODUCT}|(^|/)n8n-workflow(/|$)`,
				pathNot: anyOf(PURE),
				dependencyTypesNot: ['type-only'],
			},
		},
		...Object.entries(SERVICE_EXPORTS).map(([folder, names]) => ({
			name: `exports of ${folder}`,
			comment: `Only service speaks to the wire; other folders use ${names.join(', ')} of ${folder}.`,
			severity: 'error',
			from: { path: PRODUCT, pathNot: `${NODE}service/` },
			to: { path: filesOf(folder), pathNot: `${NODE}${folder}/(${names.join('|')})\\.ts$` },
		})),
		{
			name: 'product only',
			comment: 'Tests, tools and benchmarks use the product, never the other way round.',
			severity: 'error',
			from: { path: PRODUCT },
			to: { path: '^(?!nodes/|credentials/|vendor/)', dependencyTypes: ['local'] },
		},
		{
			name: 'crypto only',
			comment: "n8n's scanner allows a node no other module of Node.js.",
			severity: 'error',
			from: { path: PRODUCT },
			to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
		},
		{
			name: 'known library',
			comment:
				'n8n-workflow is there in n8n; any other package has a file in vendor, which is bundled.',
			severity: 'error',
			from: { path: PRODUCT },
			to: {
				dependencyTypes: ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'npm-unknown'],
				pathNot: '(^|/)node_modules/n8n-workflow/',
			},
		},
		{
			name: 'resolvable',
			comment: 'An import leads to a file.',
			severity: 'error',
			from: {},
			to: { couldNotResolve: true },
		},
		{
			name: 'sandbox apart',
			comment: 'A sandbox that shared code with the product would share its mistakes.',
			severity: 'error',
			from: { path: '^test/fakes/sandbox/' },
			to: { path: PRODUCT },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		// Imports of types count as well; the compiler drops them, readers do not.
		tsPreCompilationDeps: 'specify',
	},
};
