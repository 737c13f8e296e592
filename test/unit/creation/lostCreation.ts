import type { IDataObject } from 'n8n-workflow';

import type { LostCreation } from '../../../nodes/PriceCollection/creation/proof';
import type { JobRequest } from '../../../nodes/PriceCollection/run/record';
import type { Job } from '../../../nodes/PriceCollection/service/types';

export const SENT_AT = Date.parse('2026-10-01T12:00:00Z');
export const MINUTE = 60_000;
/** The time this long after the request was sent, as listed jobs show it. */
export const iso = (afterMs: number) => new Date(SENT_AT + afterMs).toISOString();

export const REQUEST: JobRequest = {
	parameters: { topic: 'search', source: 'google_shopping', country: 'gb', key: 'gtin' },
	key: 'gtin',
	values: ['0001', '2'],
};
/** A creation whose reply was lost after two seconds. */
export const LOST: LostCreation = {
	...{ from: SENT_AT, to: SENT_AT + 2_000, nonce: 'mine', hasGaps: false },
	...{ request: REQUEST, known: new Map([['known', 0]]) },
};
/** A listed job that was created in between. */
export const job = (more: IDataObject = {}): Job => ({
	...{ job_id: 'new', status: 'new', created_at: iso(1_000) },
	...more,
});
/** What a job shows if it shows everything that we sent. */
export const SHOWN = { ...REQUEST.parameters, values: ['1', '2'] };
export const UNDATED = { created_at: undefined };
