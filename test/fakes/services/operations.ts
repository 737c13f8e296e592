import type { InspectedJob } from '../sandbox/inspection';
import type { Brought, Known } from './jobs';
import type { Settings } from './points';
import type { GeneratedService } from './service';

/** The operations that the node runs, each once per service. */
export const OPERATIONS = [
	'create',
	'createRefused',
	'get',
	'getUnknown',
	'getAll',
	'downloadResults',
	'downloadRows',
	'downloadMain',
	'downloadEntries',
	'downloadMainEntries',
	'downloadJob',
	'storeFile',
	'downloadEarly',
	'downloadEarlyFile',
	'wait',
	'usage',
	'collect',
	'cancel',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The values of `create`, and of `createRefused`, whose source does not exist. */
export const CREATED_VALUES = ['kettle', 'Crème-Brûlée'];
/** The values of `collect`, one per input item. Two of them differ only in case. */
export const COLLECTED_VALUES = ['iPhone 15', 'iphone 15', 'Crème-Brûlée', 'notfound', 'fail', 'many-3'];
export const UNKNOWN_SOURCE = 'nowhere';
export const UNKNOWN_JOB = 'ffffffffffffffffffffffff';

export type Fields = Record<string, unknown>;

/** What an operation of the node produced. */
export interface Observed {
	/** JSON of the items of both outputs. */
	items: Fields[];
	/** The paired input item of each item; undefined for none or several. */
	askers: Array<number | undefined>;
	/** Bytes of their files. */
	files: Buffer[];
	error?: { message: string; description: string };
	/** What the node said besides its items. */
	hints: string[];
	/** New jobs, oldest first. */
	created: InspectedJob[];
	/** The results of each of them. */
	createdResults: Brought[][];
	/** All jobs that exist now, oldest first. */
	jobs: InspectedJob[];
}

const locator = (mode: string, value: string): Settings => ({ __rl: true, mode, value });

const asking = (source: string, operation = 'create'): Settings => ({
	resource: 'job',
	operation,
	topic: 'search',
	source: locator('name', source),
	country: locator('code', 'de'),
	lookupKey: 'term',
	values: CREATED_VALUES.join('\n'),
});

/** The input items: one for each value of `collect`, otherwise a single empty one. */
export function inputFor(operation: Operation): Array<Record<string, string>> {
	return operation === 'collect' ? COLLECTED_VALUES.map((term) => ({ term })) : [{}];
}

/** Operation and parameters in the node, for each operation that reads a job. */
const OUTPUTS: Partial<Record<Operation, [operation: string, more?: Settings]>> = {
	get: ['get'],
	downloadResults: ['download', { output: 'results', columns: 'raw' }],
	downloadRows: ['download', { output: 'results', columns: 'all' }],
	downloadMain: ['download', { output: 'results', columns: 'main' }],
	downloadEntries: ['download', { output: 'entries', columns: 'all' }],
	downloadMainEntries: ['download', { output: 'entries', columns: 'main' }],
	downloadJob: ['download', { output: 'job' }],
	storeFile: ['download', { output: 'file' }],
	downloadEarly: ['download', { output: 'results', columns: 'all' }],
	downloadEarlyFile: ['download', { output: 'file' }],
	wait: ['wait', { output: 'results', columns: 'all' }],
};

/** What a user enters in the node for an operation, under the names in saved workflows. */
export function parametersFor(operation: Operation, service: GeneratedService, known: Known): Settings {
	const [done = '', running = ''] = known.jobs.map(({ id }) => id);
	// The oracle compares prices as the texts of the service.
	const options = { format: service.format, priceFormat: 'text' };
	const bare = { ...options, includeInputFields: false };
	const on = (name: string, jobId: string, more: Settings = {}): Settings => ({
		...{ resource: 'job', operation: name, jobId: locator('id', jobId), options, ...more },
	});
	switch (operation) {
		case 'create':
			return asking('google_shopping');
		case 'createRefused':
			return asking(UNKNOWN_SOURCE);
		case 'collect':
			return {
				...asking('google_shopping', 'collect'),
				...{ values: '={{ $json.term }}', output: 'results', columns: 'all', options: bare },
			};
		case 'getUnknown':
			return on('get', UNKNOWN_JOB);
		case 'getAll':
			return { resource: 'job', operation: 'getAll', returnAll: true };
		case 'usage':
			return { resource: 'usage', operation: 'getToday' };
		case 'cancel':
			return on('cancel', running, { options: {} });
		default: {
			const [name, more] = OUTPUTS[operation] ?? [operation];
			const isWait = operation === 'wait' && { options: bare };
			return on(name, operation.startsWith('downloadEarly') ? running : done, { ...more, ...isWait });
		}
	}
}
