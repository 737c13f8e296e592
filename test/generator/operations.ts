import type { InspectedJob } from '../sandbox/inspection';
import type { Brought, Known } from './jobs';
import type { Settings } from './points';
import type { GeneratedService } from './service';

/** What is asked of the node, each once per service. */
export const OPERATIONS = [
	'create',
	'createRefused',
	'get',
	'getUnknown',
	'getAll',
	'downloadResults',
	'downloadRows',
	'downloadEntries',
	'downloadJob',
	'downloadFile',
	'downloadEarly',
	'downloadEarlyFile',
	'wait',
	'usage',
	'collect',
	'cancel',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The values that `create` asks for, and those that `createRefused` asks for from a source that does not exist. */
export const CREATED_VALUES = ['kettle', 'Crème-Brûlée'];
/** What `collect` asks for, one input item each: two of them differ in nothing but case. */
export const COLLECTED_VALUES = ['iPhone 15', 'iphone 15', 'Crème-Brûlée', 'notfound', 'fail', 'many-3'];
export const UNKNOWN_SOURCE = 'nowhere';
export const UNKNOWN_JOB = 'ffffffffffffffffffffffff';

export type Fields = Record<string, unknown>;

/** What an operation of the node came to. */
export interface Observed {
	/** JSON of the items, of both outputs. */
	items: Fields[];
	/** For each item the only input item that it is paired to; undefined for none or several. */
	askers: Array<number | undefined>;
	/** Bytes of their files. */
	files: Buffer[];
	error?: { message: string; description: string };
	/** What the node said beside its items. */
	hints: string[];
	/** Jobs that exist now and did not before, oldest first. */
	created: InspectedJob[];
	/** Their results. */
	createdResults: Brought[];
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

/** The items that go into the node: one for each value of `collect`, a single empty one otherwise. */
export function inputFor(operation: Operation): Array<Record<string, string>> {
	return operation === 'collect' ? COLLECTED_VALUES.map((term) => ({ term })) : [{}];
}

/** What a user enters in the node for an operation, under the names that saved workflows have. */
export function parametersFor(operation: Operation, service: GeneratedService, known: Known): Settings {
	const [done, running] = known.jobs.map(({ id }) => id);
	const { format } = service;
	const on = (operationName: string, jobId: string | undefined, more: Settings = {}): Settings => ({
		resource: 'job',
		operation: operationName,
		jobId: locator('id', jobId ?? ''),
		options: { format },
		...more,
	});
	switch (operation) {
		case 'create':
			return asking('google_shopping');
		case 'createRefused':
			return asking(UNKNOWN_SOURCE);
		case 'get':
			return on('get', done);
		case 'getUnknown':
			return on('get', UNKNOWN_JOB);
		case 'getAll':
			return { resource: 'job', operation: 'getAll', returnAll: true, options: service.list };
		case 'downloadResults':
			return on('download', done, { output: 'results', columns: 'raw' });
		case 'downloadRows':
			return on('download', done, { output: 'results' });
		case 'downloadEntries':
			return on('download', done, { output: 'entries' });
		case 'downloadJob':
			return on('download', done, { output: 'job' });
		case 'downloadFile':
			return on('download', done, { output: 'file' });
		case 'downloadEarly':
			return on('download', running, { output: 'results' });
		case 'downloadEarlyFile':
			return on('download', running, { output: 'file' });
		case 'wait':
			return on('wait', done, { output: 'results' });
		case 'usage':
			return { resource: 'usage', operation: 'getToday' };
		case 'collect':
			return {
				...asking('google_shopping', 'collect'),
				values: '={{ $json.term }}',
				options: { format },
			};
		case 'cancel':
			return { resource: 'job', operation: 'cancel', jobId: locator('id', running ?? '') };
	}
}
