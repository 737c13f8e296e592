import { unexpected, type Exchange } from '../../../../nodes/PriceCollection/service/meaning/reply';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';

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
