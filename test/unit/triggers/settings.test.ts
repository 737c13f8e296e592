import type { IPollFunctions } from 'n8n-workflow';

import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { warnOfUnknownStatus } from '../../../nodes/PriceCollection/triggers/settings';
import { fakeClient } from '../fakeClient';
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

it('the output of a trigger is one that it offers, and rows where nothing is chosen', () => {
	expect(settingsOf({}, { output: '' }).output).toBe('results');
	expect(() => settingsOf({}, { output: 'notification' })).toThrow('Output cannot be "notification"');
});

it('a request may be silent for as long as the trigger says, in milliseconds', () => {
	expect(settingsOf({}, { options: { requestTimeout: 7 } }).timeoutMs).toBe(7_000);
});

it('status words that are in no table are said in the log, once for each trigger and word', () => {
	const { client } = fakeClient({});
	const trigger = (id: string) => {
		const warn = jest.fn();
		const context = {
			getNode: () => ({ id, name: `Ends\n${id}` }),
			getWorkflow: () => ({ id: 'w' }),
			logger: { warn },
		};
		const tell = (...statuses: string[]) =>
			warnOfUnknownStatus(
				context as unknown as IPollFunctions,
				client,
				statuses.map((status) => ({ job_id: 'a', status })),
			);
		return { tell, warned: () => warn.mock.calls.flat().map((text) => String(text).slice(0, 56)) };
	};
	const [one, other] = [trigger('1'), trigger('2')];
	one.tell('archived', 'finished', '', 'archived', '17');
	one.tell('archived');
	other.tell('archived');
	expect(one.warned()).toEqual([
		'Ends 1: This node does not know the status "archived", s',
		'Ends 1: This node does not know the status "17", so it c',
	]);
	expect(other.warned()).toHaveLength(1);
});
