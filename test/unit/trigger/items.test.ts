import { settingsOf } from './polling/polls';

describe('the ends that a trigger listens for', () => {
	it.each([
		[['finished'], 'finished', true],
		[['finished'], 'cancelled', false],
		[['any'], 'Canceled', true],
		[['any'], 'working', false],
		['cancelled', 'cancelled', true],
		[[], 'cancelled', true],
	])('%j and %s: %s', (events, status, wanted) => {
		expect(settingsOf({}, { events }).wants(status)).toBe(wanted);
	});
});

describe('the output of a trigger', () => {
	it('is the job where nothing is chosen', () => {
		expect(settingsOf({}, { output: '' }).output).toBe('job');
	});

	it('is one that the trigger offers', () => {
		expect(() => settingsOf({}, { output: 'notification' })).toThrow('Output cannot be "notification"');
	});
});
