import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { wokenRun } from '../../../nodes/PriceCollection/run/waitOrSuspend';

const FIXTURE = path.resolve(__dirname, '../../fixtures/stored/suspendedRun.v1.json');
const suspended = JSON.parse(readFileSync(FIXTURE, 'utf8')) as IDataObject;

/** What a run finds that begins with this item, in an execution whose node keeps this. */
function found(json: IDataObject, stored: unknown = suspended, executionId = '42') {
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getExecutionId: () => executionId,
		getInputData: () => [{ json }],
		getContext: () => ({ priceCollectionRun: stored }),
		getNode: () => ({ name: 'Prices', type: 'x', typeVersion: 1 }),
	};
	return wokenRun(context as unknown as IExecuteFunctions);
}

test('a run that its callback woke goes on with what was suspended', () => {
	expect(found({ price_collection_resume: 'a-marker', job_id: 'j' })).toMatchObject({
		marker: 'a-marker',
		named: 'j',
	});
});

test('jobs of a run that is retried by hand call back the execution that was woken, and not this one', () => {
	const stored = { ...suspended, executionId: '42' };
	const callsBack = (executionId: string) =>
		found({ price_collection_resume: 'a-marker' }, stored, executionId)?.run.jobs.map(
			(job) => job.callsBack,
		);
	expect(callsBack('42')).toContain(true);
	expect(callsBack('43')).not.toContain(true);
});

test('a run without the marker begins anew', () => {
	expect(found({ job_id: 'j' })).toBeUndefined();
});

test.each<[string, unknown, string]>([
	['another run', { ...suspended, marker: 'b' }, 'The run that was to be resumed is not in this execution'],
	['nothing', null, 'The run that was to be resumed is not in this execution'],
	['a damaged run', { ...suspended, run: {} }, 'The suspended run is damaged at run.jobs'],
	[
		'a newer run',
		{ ...suspended, version: 99 },
		'The suspended run was written by a newer version of this package',
	],
])('a marker without its run creates nothing: there is %s', (_name, stored, message) => {
	expect(() => found({ price_collection_resume: 'a-marker' }, stored)).toThrow(message);
});
