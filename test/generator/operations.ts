import type { InspectedJob } from '../sandbox/inspection';

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
	'cancel',
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The values that `create` asks for, and those that `createRefused` asks for from a source that does not exist. */
export const CREATED_VALUES = ['kettle', 'Crème-Brûlée'];
export const UNKNOWN_SOURCE = 'nowhere';
export const UNKNOWN_JOB = 'ffffffffffffffffffffffff';

export type Fields = Record<string, unknown>;

/** What an operation of the node came to. */
export interface Observed {
	/** JSON of the items, of both outputs. */
	items: Fields[];
	/** Bytes of their files. */
	files: Buffer[];
	error?: { message: string; description: string };
	/** What the node said beside its items. */
	hints: string[];
	/** Jobs that exist now and did not before, oldest first. */
	created: InspectedJob[];
	/** All jobs that exist now, oldest first. */
	jobs: InspectedJob[];
}
