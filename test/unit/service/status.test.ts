import { terminalStatus } from '../../../nodes/PriceCollection/service/status';

test.each([
	['finished', 'finished'],
	[' Finished ', 'finished'],
	['cancelled', 'cancelled'],
	['canceled', 'cancelled'],
	['CANCELLED', 'cancelled'],
	['new', undefined],
	['working', undefined],
	['finishing', undefined],
	['failed', undefined],
	['something nobody has heard of', undefined],
	['', undefined],
	[null, undefined],
	[undefined, undefined],
	[1, undefined],
])('%p means %p: what is unknown runs', (status, end) => {
	expect(terminalStatus(status)).toBe(end);
});
