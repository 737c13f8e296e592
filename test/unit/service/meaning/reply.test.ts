import { Readable } from 'node:stream';

import { StatusBudget } from '../../../../nodes/PriceCollection/service/http/pacing';
import {
	readReply,
	unexpected,
	type Exchange,
} from '../../../../nodes/PriceCollection/service/meaning/reply';
import { ENDPOINTS, type RequestContext } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';
import { fixedClock } from '../../fixedClock';

test('what is unexpected in a body is described without a secret, also one that is short', () => {
	const connection = dialectOf({ apiKey: 'shortkey' });
	const exchange = { scope: { connection }, request: { endpoint: ENDPOINTS.get } } as Exchange;
	expect(unexpected(exchange, 'The body is about job "shortkey"', '')).toEqual({
		ok: false,
		problem: {
			...{ kind: 'unexpectedBody', endpoint: ENDPOINTS.get, effect: 'none' },
			detail: 'The body is about job "***". It is empty',
		},
	});
});

test('a body of more than 64 MB is not turned into items', async () => {
	const megabyte = Buffer.alloc(1024 * 1024, ' ');
	const clock = fixedClock();
	const scope = {
		...{ context: { getExecutionCancelSignal: () => undefined } as unknown as RequestContext, clock },
		...{ connection: dialectOf(), statusBudget: new StatusBudget(clock), timeoutMs: 60_000 },
	};
	const replyOf = async (megabytes: number) => {
		const chunks = [
			Buffer.from('{"results":[]'),
			...Array<Buffer>(megabytes).fill(megabyte),
			Buffer.from('}'),
		];
		const body = Readable.from(chunks, { objectMode: false });
		const exchange: Exchange = {
			scope,
			request: { endpoint: ENDPOINTS.download, jobId: 'a', timeoutMs: 60_000 },
			reply: { status: 200, headers: { 'content-type': 'application/json' }, body },
		};
		return [await readReply(exchange, (value) => ({ ok: true, value })), body.destroyed];
	};
	expect(await replyOf(63)).toEqual([{ ok: true, value: { results: [] } }, true]);
	const problem = { kind: 'tooLarge', endpoint: ENDPOINTS.download, status: 200, effect: 'none' };
	expect(await replyOf(64)).toEqual([{ ok: false, problem }, true]);
});
