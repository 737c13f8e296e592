import { pause, signalAfter } from '../../../nodes/PriceCollection/n8n/clock';

const HOUR_MS = 3_600_000;
afterEach(() => jest.restoreAllMocks());

/** One of the machine's clocks, which a test sets or stops. */
function controlled(clock: { now(): number }) {
	const real = clock.now.bind(clock);
	let read = real;
	jest.spyOn(clock, 'now').mockImplementation(() => read());
	return {
		set: (byMs: number) => (read = () => real() + byMs),
		stop: () => {
			const at = real();
			read = () => at;
		},
	};
}

test('a pause is not longer because the clock is set back', async () => {
	const wall = controlled(Date);
	const paused = pause(300);
	wall.set(-HOUR_MS);
	await paused;
});

test('a pause ends when its time has passed while the machine slept', async () => {
	const [wall, steady] = [controlled(Date), controlled(performance)];
	steady.stop();
	const paused = pause(HOUR_MS);
	wall.set(HOUR_MS);
	await paused;
});

test('a pause ends by its signal', async () => {
	const controller = new AbortController();
	const paused = pause(HOUR_MS, controller.signal);
	controller.abort();
	await paused;
});

test('a signal for no time at all is aborted at once, so that nothing is begun', () => {
	expect([signalAfter(0).aborted, signalAfter(-1).aborted, signalAfter(HOUR_MS).aborted]).toEqual([
		true,
		true,
		false,
	]);
});
