import { nextAction, type Action } from '../../../nodes/PriceCollection/creation/nextAction';
import type { Purchase } from '../../../nodes/PriceCollection/run/formats';
import type { Creation } from '../../../nodes/PriceCollection/run/record';

const NOW = 1_800_000_000_000;
const GAP = { from: NOW - 9, to: NOW - 5 };
const bought = (creation: Partial<Creation>): Purchase => ({
	...{ what: 'fields', values: [], creation: { sentAt: NOW - 7, executionId: '7', ...creation } },
});

interface State {
	purchase?: Purchase;
	isAbsent?: boolean;
	gap?: { from?: number; to: number };
	outlivesExecution?: boolean;
	isUnderWay?: boolean;
}

test.each<[string, Action, State]>([
	['a new one', { do: 'create' }, {}],
	['one that may have been sent without a record', { do: 'search', ...GAP }, { gap: GAP }],
	['one that may have been sent at any time', { do: 'search', to: NOW }, { gap: { to: NOW } }],
	['one of which that is disproven', { do: 'create' }, { gap: GAP, isAbsent: true }],
	['one whose job is known', { do: 'use', jobId: 'j' }, { gap: GAP, purchase: bought({ jobId: 'j' }) }],
	[
		'the same, asked earlier',
		{ do: 'verify', jobId: 'j' },
		{ outlivesExecution: true, purchase: bought({ jobId: 'j' }) },
	],
	['one under way', { do: 'wait', until: NOW + 200 }, { isUnderWay: true, purchase: bought({}) }],
	[
		'one under way whose job is known by now',
		{ do: 'use', jobId: 'j' },
		{ isUnderWay: true, purchase: bought({ jobId: 'j' }) },
	],
	[
		'one whose reply was lost',
		{ do: 'search', from: NOW - 7, to: NOW - 3 },
		{ purchase: bought({ lostAt: NOW - 3 }) },
	],
	['one of a process that ended', { do: 'search', from: NOW - 7, to: NOW }, { purchase: bought({}) }],
	[
		'one sent at a time unknown',
		{ do: 'search', from: undefined, to: NOW - 3 },
		{ purchase: bought({ sentAt: 0, lostAt: NOW - 3 }) },
	],
])('what comes next about %s', (_name, action, state) => {
	const { gap, outlivesExecution = false, isUnderWay = false, purchase, isAbsent } = state;
	const ledger = { gap, outlivesExecution, isUnderWay: () => isUnderWay };
	expect(nextAction(ledger, { purchase, isAbsent }, NOW)).toEqual(action);
});
