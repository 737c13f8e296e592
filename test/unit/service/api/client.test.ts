import { Readable } from 'node:stream';

import type { RequestContext } from '../../../../nodes/PriceCollection/service/types';
import { clientFor } from '../../../../nodes/PriceCollection/service/api/client';
import { StatusBudget } from '../../../../nodes/PriceCollection/service/http/pacing';
import { dialectOf } from '../../fakeClient';
import { fixedClock } from '../../fixedClock';

/** A client whose requests fail with this Node error code. A pause stops it through the controller. */
function brokenOff(code: string, isOutOfTime: () => boolean, controller?: AbortController) {
	let count = 0;
	const fail = async () => {
		count++;
		return await Promise.reject(Object.assign(new Error('x'), { code }));
	};
	const context = {
		getExecutionCancelSignal: () => controller?.signal,
		helpers: { httpRequestWithAuthentication: fail },
	};
	const clock = { ...fixedClock(), pause: async () => controller?.abort() };
	const client = clientFor({
		...{ context: context as unknown as RequestContext, clock, isOutOfTime },
		...{ connection: dialectOf(), statusBudget: new StatusBudget(clock) },
	});
	return { ...client, sent: () => count };
}

test('a creation is sent in the names of the service, and refused in those of the document', async () => {
	const sent: unknown[] = [];
	const refuse = async ({ body }: { body: unknown }) => {
		sent.push(body);
		const said = { success: false, reason: 'missing parameter', parameter: 'market' };
		return { statusCode: 400, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(said))]) };
	};
	const context = {
		helpers: { httpRequestWithAuthentication: async (_: string, one: never) => await refuse(one) },
	};
	const connection = dialectOf({ requestNamesText: 'country: market\ngtin: ean\ntimeout:' });
	const clock = fixedClock();
	const client = clientFor({
		...{ context: context as unknown as RequestContext, clock, connection },
		statusBudget: new StatusBudget(clock),
	});
	const reply = await client.createJob({ key: 'gtin', country: 'de', timeout: 5, tag: 'x' });
	expect(reply).toMatchObject({ problem: { kind: 'missingParameter', parameter: 'country' } });
	expect(sent).toEqual([{ key: 'ean', market: 'de', tag: 'x' }]);
});

describe('what is broken off', () => {
	it.each([
		['executionEnding', 'ERR_CANCELED', true],
		['stopped', 'ERR_CANCELED', false],
		['connectionRefused', 'ECONNREFUSED', true],
	])('is %s: %s, out of time: %s', async (kind, code, isOver) => {
		const client = brokenOff(code, () => isOver);
		expect(client.isOutOfTime()).toBe(isOver);
		const effect = kind === 'connectionRefused' ? 'none' : 'unknown';
		expect(await client.createJob({})).toMatchObject({ problem: { kind, effect } });
		expect(await client.getJob('j')).toMatchObject({ problem: { kind, effect: 'none' } });
	});

	it.each([
		['executionEnding', true],
		['stopped', false],
	])('in a pause before another attempt is %s', async (kind, isOver) => {
		const controller = new AbortController();
		const client = brokenOff('ECONNREFUSED', () => isOver, controller);
		expect(await client.createJob({})).toMatchObject({ problem: { kind, effect: 'none' } });
		expect(client.sent()).toBe(1);
		// Nothing more is sent then.
		expect(await client.createJob({})).toMatchObject({ problem: { kind, effect: 'none' } });
		expect(client.sent()).toBe(1);
	});
});
