import type { InspectedJob } from '../sandbox/inspection';
import type { Result } from '../sandbox/results';

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
	/** Their results in the document's own shape. */
	createdResults: Result[];
	/** All jobs that exist now, oldest first. */
	jobs: InspectedJob[];
}
