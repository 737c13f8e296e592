import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { warnAboutLoopback, wokenRun } from '../../../nodes/PriceCollection/run/wait';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';
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

	it.each<[unknown, string]>([
		[{ ...suspended, marker: 'b' }, 'The run to resume is not in this'],
		[null, 'The run to resume is not in this execution'],
		[{ ...suspended, records: [{}] }, 'The suspended run is damaged at records.0'],
		[{ ...suspended, choices: {} }, 'The suspended run is damaged at choices'],
	])('creates nothing without what was suspended: there is %j', (stored, message) => {
		expect(() => found({ price_collection_resume: 'a-marker' }, stored)).toThrow(message);
	});
});

it.each([
	['http://localhost:5678/x', 1],
	['https://n8n.example.com/x', 0],
])('a callback address that the service cannot reach is warned of: %s', (url, warnings) => {
	const { context, hints } = nodeContext({});
	const client = { connection: { origin: 'https://api.example.com' } } as unknown as ServiceClient;
	warnAboutLoopback(context, client, url);
	const warning = { message: expect.stringContaining('Set WEBHOOK_URL in n8n to its public') as string };
	expect(hints).toMatchObject(Array(warnings).fill(warning));
});
