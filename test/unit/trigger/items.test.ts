import { settingsOf } from './polling/polls';

it.each([
	[['finished'], 'finished', true],
	[['finished'], 'cancelled', false],
	[['any'], 'Canceled', true],
	[['any'], 'working', false],
	['cancelled', 'cancelled', true],
	[[], 'cancelled', true],
])('a trigger that listens for %j is started by %s: %s', (events, status, wanted) => {
	expect(settingsOf({}, { events }).wants(status)).toBe(wanted);
});

it('the output of a trigger is one that it offers, and the job where nothing is chosen', () => {
	expect(settingsOf({}, { output: '' }).output).toBe('job');
	expect(() => settingsOf({}, { output: 'notification' })).toThrow('Output cannot be "notification"');
});
