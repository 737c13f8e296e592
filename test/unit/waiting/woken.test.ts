import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { suspendedRunFormat } from '../../../nodes/PriceCollection/run/formats';
import { newRecord } from '../../../nodes/PriceCollection/run/record';
import { warnAboutLoopback, wokenRun } from '../../../nodes/PriceCollection/waiting/woken';
import type { Choices } from '../../../nodes/PriceCollection/settings/resultChoice';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/api/client';
import { nodeContext } from '../nodeContext';

describe('a run that its callback woke', () => {
	const RUN = {
		...{ marker: 'a-marker', records: [newRecord('a', [{ item: 0 }])], unsent: [], intervalMs: 65_000 },
		choices: { first: {} } as Choices,
	};
	const suspended = suspendedRunFormat.write(RUN);

	/** What a run finds that begins with this item, in an execution whose node keeps this. */
	function found(json: IDataObject, stored: unknown = suspended) {
		const more: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getContext: () => ({ priceCollectionRun: stored }),
		};
		return wokenRun(nodeContext({ items: [json], more }).context);
	}

	it('goes on with what was suspended, and hears of the job that was named; none without the marker', () => {
		const resumed = { price_collection_resume: 'a-marker' };
		const isByTimer = false;
		expect(found({ ...resumed, job_id: 'j' })).toEqual({ run: RUN, named: 'j', isByTimer });
		expect(found({ ...resumed, job_id: 7 })).toEqual({ run: RUN, isByTimer });
		const byTimer = { ...resumed, price_collection_timer: true };
		expect(found(byTimer)).toEqual({ run: RUN, isByTimer: true });
		expect(found({ job_id: 'j' })).toBeUndefined();
	});

	it.each<[unknown, string]>([
		[{ ...suspended, marker: 'b' }, 'The run to resume is not in this'],
		[null, 'The run to resume is not in this execution'],
		[{ ...suspended, records: [{}] }, 'The suspended run is damaged at records.0'],
		[{ ...suspended, version: 2 }, 'The suspended run was written by another version of this package'],
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
