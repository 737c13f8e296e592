import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { settingsOf } from './polling/polls';

it.each([
	[['finished'], 'results', true],
	[['finished'], 'cancelled', false],
	[['finished'], 'failed', false],
	[['any'], 'cancelled', true],
	[['any'], 'failed', true],
	[['any'], undefined, false],
	[[], undefined, false],
	['cancelled', 'cancelled', true],
	[[], 'cancelled', true],
] as Array<[string | string[], End | undefined, boolean]>)(
	'a trigger that listens for %j is started by the end %s: %s',
	(events, end, wanted) => {
		expect(settingsOf({}, { events }).wants(end)).toBe(wanted);
	},
);

it('the output of a trigger is one that it offers, and the job where nothing is chosen', () => {
	expect(settingsOf({}, { output: '' }).output).toBe('job');
	expect(() => settingsOf({}, { output: 'notification' })).toThrow('Output cannot be "notification"');
});
