import { callbackNonces } from '../../../nodes/PriceCollection/callback/nonces';

describe('a signed callback URL', () => {
	it('may be used for any job as long as nothing is known of it', () => {
		expect(callbackNonces.check('unknown', 'a')).toBe('free');
	});

	it('belongs to the job that it was signed for', () => {
		callbackNonces.expect('expected', 'a');
		expect(callbackNonces.check('expected', 'a')).toBe('free');
		expect(callbackNonces.check('expected', 'b')).toBe('otherJob');
	});

	it('belongs to the job that has used it first, which has used it then', () => {
		callbackNonces.use('used', 'a');
		expect(callbackNonces.check('used', 'a')).toBe('used');
		expect(callbackNonces.check('used', 'b')).toBe('otherJob');
	});
});
