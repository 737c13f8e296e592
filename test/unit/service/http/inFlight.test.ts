import { InFlight } from '../../../../nodes/PriceCollection/service/http/inFlight';

/** A promise that the test settles. */
function later<T>() {
	let settle: [resolve: (value: T) => void, reject: (reason: Error) => void] | undefined;
	const promise = new Promise<T>((...both) => (settle = both));
	return {
		promise,
		resolve: (value: T) => settle?.[0](value),
		reject: (reason: Error) => settle?.[1](reason),
	};
}

test('gives out each task once, in the order in which they end', async () => {
	const [a, b] = [later<string>(), later<string>()];
	const inFlight = new InFlight<string>();
	inFlight.add(a.promise);
	inFlight.add(b.promise);
	b.resolve('b');
	expect([inFlight.size, await inFlight.next(), inFlight.size]).toEqual([2, 'b', 1]);
	a.resolve('a');
	expect([await inFlight.next(), inFlight.size]).toEqual(['a', 0]);
});

test('passes a failure on, and one that nobody asks for ends no process', async () => {
	const [a, b] = [later<string>(), later<string>()];
	const inFlight = new InFlight<string>();
	inFlight.add(a.promise);
	inFlight.add(b.promise);
	a.reject(new Error('first'));
	await expect(inFlight.next()).rejects.toThrow('first');
	b.reject(new Error('nobody hears it'));
	await new Promise(setImmediate);
});
