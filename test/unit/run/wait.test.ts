import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { wokenRun } from '../../../nodes/PriceCollection/run/wait';
import { nodeContext } from '../nodeContext';

describe('a run that its callback woke', () => {
	const FIXTURE = path.resolve(__dirname, '../../fixtures/stored/suspendedRun.v3.json');
	const suspended = JSON.parse(readFileSync(FIXTURE, 'utf8')) as IDataObject;

	/** What a run finds that begins with this item, in an execution whose node keeps this. */
	function found(json: IDataObject, stored: unknown = suspended) {
		const more: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getContext: () => ({ priceCollectionRun: stored }),
		};
		return wokenRun(nodeContext({ items: [json], more }).context);
	}

	it('goes on with what was suspended, and hears of the job that was named', () => {
		const records = [{ job: { job_id: '0123456789abcdef' }, creation: { executionId: '42' } }];
		expect(found({ price_collection_resume: 'a-marker', job_id: 'j' })).toMatchObject({
			...{ run: { marker: 'a-marker', records }, named: 'j' },
		});
		expect(found({ price_collection_resume: 'a-marker', job_id: 7 })?.named).toBeUndefined();
	});

	it('is none without the marker', () => {
		expect(found({ job_id: 'j' })).toBeUndefined();
	});

	it.each<[string, unknown, string]>([
		['another run', { ...suspended, marker: 'b' }, 'The run to resume is not in this'],
		['nothing', null, 'The run to resume is not in this execution'],
		['a damaged run', { ...suspended, records: [{}] }, 'The suspended run is damaged at records.0'],
		['a damaged choice', { ...suspended, choices: {} }, 'The suspended run is damaged at choices'],
		['a newer run', { ...suspended, version: 99 }, 'was written by a newer version of this package'],
	])('creates nothing without what was suspended: there is %s', (_name, stored, message) => {
		expect(() => found({ price_collection_resume: 'a-marker' }, stored)).toThrow(message);
	});
});
