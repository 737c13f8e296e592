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

describe('the callback address', () => {
	it.each<[string, string, boolean]>([
		['http://localhost:5678/x', 'https://api.example.com', true],
		['http://127.0.0.1:5678/x', 'https://api.example.com', true],
		['http://[::1]:5678/x', 'https://api.example.com', true],
		['https://n8n.example.com/x', 'https://api.example.com', false],
		['http://localhost:5678/x', 'http://127.0.0.1:8080', false],
	])('is warned of where the service cannot reach it: %s from %s', (url, origin, isWarned) => {
		const { context, hints } = nodeContext({});
		warnAboutLoopback(context, { connection: { origin } } as unknown as ServiceClient, url);
		const warning = expect.stringContaining('Set WEBHOOK_URL in n8n to its public address') as string;
		expect(hints.map(({ message }) => message)).toEqual(isWarned ? [warning] : []);
	});
});
