import type { Fault } from '../../fakes/sandbox/faults';

/** Odd replies that prove nothing. Any service may give each of them once. */
const page = (status: number): Fault => ({
	...{ type: 'reply', status, headers: { 'content-type': 'text/html' } },
	body: '<html><body><h1>Sorry</h1></body></html>',
});
const json = (body: object, status = 200): Fault => ({
	...{ type: 'reply', status, headers: { 'content-type': 'application/json' } },
	body: JSON.stringify(body),
});
export const refusal = (reason: string, status: number): Fault => ({ type: 'refusal', reason, status });

/** For any request. */
export const ODD: Readonly<Record<string, Fault>> = {
	'maintenance in 200': json({ message: 'maintenance' }),
	'a refusal in 200': json({ status: 'error', message: 'maintenance' }),
	'nothing but an object': json({}),
	'a list that is null': json({ message: 'maintenance', jobs: null }),
	'an error beside nothing': json({ meta: { code: 503 }, data: null }),
	'a page with 403': page(403),
	'an empty body': { type: 'emptyBody' },
	'a page in 200': page(200),
	'a page with 502': page(502),
	'a 500 that speaks of a cancelled job': json({ message: 'context canceled, job not found' }, 500),
};

/** For requests that change nothing. */
export const ODD_READS: Readonly<Record<string, Fault>> = {
	...ODD,
	'a page with 404': page(404),
	'the words of a gateway': json({ message: 'no Route matched with those values' }, 404),
	'the words of a framework': json({ status: 404, error: 'Not Found', path: '/v2/jobs/1' }, 404),
	"another's job": json({ job_id: 'f'.repeat(24), status: 'finished', results: [] }),
	'401 in its own words': refusal('unauthorized', 401),
	'404 in its own words': refusal('job not found', 404),
	'403 in its own words': refusal('job forbidden', 403),
	'410 in other words': json({ error: 'gone' }, 410),
};
