import type { Known } from './jobs';
import { COLLECTED_VALUES, CREATED_VALUES, UNKNOWN_JOB, UNKNOWN_SOURCE } from './operations';
import type { Operation } from './operations';
import type { Settings } from './points';
import type { GeneratedService } from './service';

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
