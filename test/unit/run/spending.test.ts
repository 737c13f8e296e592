import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Parameters } from '../../../nodes/PriceCollection/n8n/parameters';
import type { Creation } from '../../../nodes/PriceCollection/run/record';
import {
	estimateOf,
	estimateText,
	guardSpending,
	Spending,
} from '../../../nodes/PriceCollection/run/spending';
import { dialectOf } from '../fakeClient';
import { nodeContext } from '../nodeContext';

/** A job of so many values, of which the service said that it booked so much. */
const job = (values: number, booked?: number, parameters: IDataObject = {}) => ({
	request: {
		...{ key: 'id', values: Array<string>(values).fill('x') },
		parameters: { topic: 'search', source: 'idealo', ...parameters },
	},
	creation: { sentAt: 0, executionId: '7', booked } as Creation,
});
const fieldsOf = ({ maxCredits, ...options }: IDataObject) =>
	new Parameters(nodeContext({ parameters: { maxCredits, options } as INodeParameters }).context);
const UNKNOWN = job(1, undefined, { max_pages: 'x' });
const UNCERTAIN = 'The cost of this run cannot be estimated';

test('a run is estimated where each of its jobs is', () => {
	expect(estimateOf([job(2), job(1, undefined, { max_pages: 2 })], dialectOf())).toBe(4);
	for (const unknown of [{}, UNKNOWN]) expect(estimateOf([job(1), unknown], dialectOf())).toBeNaN();
	expect([2, 1].map(estimateText)).toEqual(['Estimate: 2 credits.', 'Estimate: 1 credit.']);
	expect([0, NaN].map(estimateText)).toEqual([undefined, undefined]);
});

test.each<[IDataObject, number, number, string | undefined]>([
	[{}, 1_000_000, NaN, undefined],
	[{ maxValues: 2 }, 2, 9, undefined],
	[{ maxValues: 2 }, 3, 0, 'This run would look up 3 values, more than Max Values allows (2)'],
	[{ maxCredits: 2 }, 9, 2, undefined],
	[{ maxCredits: 0 }, 9, 2_000, undefined],
	[{ maxCredits: 2 }, 1, 3, 'This run would cost about 3 credits, more than the Spending Limit of 2'],
	[{ maxCredits: 2 }, 1, NaN, `${UNCERTAIN}, because Max Pages is not a whole number above 0`],
])('with %j, %d values for %d credits are refused: %s', (options, values, estimate, message) => {
	const guard = () => guardSpending(fieldsOf(options), values, estimate);
	if (message === undefined) expect(guard).not.toThrow();
	else expect(guard).toThrow(expect.objectContaining({ message }) as Error);
});

describe('another job', () => {
	const refusalAfter = (jobs: Array<ReturnType<typeof job>>, maxCredits: number) => {
		const spending = new Spending(fieldsOf({ maxCredits }), dialectOf());
		for (const one of jobs) spending.add(one);
		return spending.refusalOf(job(2));
	};

	test.each<[string, Array<ReturnType<typeof job>>, number, boolean]>([
		['is not refused by the estimate alone', [job(5)], 1, false],
		['is refused at the rate that the service has shown', [job(2, 4)], 7, true],
		['is not refused up to the limit', [job(2, 4)], 8, false],
		['counts jobs of which nothing is said as estimated', [job(2, 4), job(1)], 8, true],
		['counts nothing where nothing is booked', [job(2, 0), job(9)], 1, false],
	])('%s', (_name, jobs, maxCredits, isRefused) => {
		expect(refusalAfter(jobs, maxCredits) !== undefined).toBe(isRefused);
	});

	test('is refused with what was reserved, what it would cost, and that nothing was sent', () => {
		expect(refusalAfter([job(2, 3)], 5)).toMatchObject({
			...{ kind: 'overLimit', effect: 'none' },
			detail: 'The service has reserved 3 credits for earlier jobs of this run, and this job would cost about 3 more; the Spending Limit is 5. Nothing was sent for it',
		});
	});
});

test.each<[Array<ReturnType<typeof job>>, string[]]>([
	[[job(1, 2)], ['The service reserved 2 credits for this job; the estimate was 1.']],
	[[job(1, 2), job(1, 1), job(3)], ['The service reserved 3 credits for 2 jobs; the estimate was 2.']],
	[[job(2, 2)], []],
	[[job(2)], []],
])('what the service reserves beyond the estimate is said: %#', (jobs, said) => {
	const { context, hints } = nodeContext({});
	const spending = new Spending(fieldsOf({}), dialectOf());
	for (const one of jobs) spending.add(one);
	spending.sayExcess(context);
	expect(hints.map(({ message }) => message)).toEqual(said);
});
