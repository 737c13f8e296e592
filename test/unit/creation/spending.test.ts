import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import type { Creation } from '../../../nodes/PriceCollection/run/record';
import {
	estimateOf,
	estimateText,
	guardSpending,
	Spending,
} from '../../../nodes/PriceCollection/creation/spending';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../fakeClient';
import { nodeContext } from '../nodeContext';

/** A job with this many values, and the credits that the service said it booked. */
const job = (values: number, booked?: number, parameters: IDataObject = {}) => ({
	request: {
		...{ key: 'id', values: Array<string>(values).fill('x') },
		parameters: { topic: 'search', source: 'idealo', ...parameters },
	},
	creation: { sentAt: 0, executionId: '7', booked } as Creation,
});
const fieldsOf = ({ maxCredits, ...options }: IDataObject) =>
	new NodeFields(nodeContext({ parameters: { maxCredits, options } as INodeParameters }).context);
const UNKNOWN = job(1, undefined, { max_pages: 'x' });
const COSTS = 'This run would cost about';
const UNCERTAIN = 'The cost of this run cannot be estimated, because Max Pages is not a whole number above 0';
const RAISE = 'Raise Max Values in the options, or use fewer items.';
const LOWER =
	', ask for fewer pages, or use fewer items. The estimate is one credit per value and page, doubled where the service charges double for an option.';

test('a run is estimated where each of its jobs is', () => {
	expect(estimateOf([job(2), job(1, undefined, { max_pages: 2 })], dialectOf())).toBe(4);
	for (const unknown of [{}, UNKNOWN]) expect(estimateOf([job(1), unknown], dialectOf())).toBeNaN();
	expect([2, 1].map(estimateText)).toEqual(['Estimate: 2 credits.', 'Estimate: 1 credit.']);
	expect([0, NaN].map(estimateText)).toEqual([undefined, undefined]);
});

const guarding = (options: IDataObject, values: number, estimate: number) => () =>
	guardSpending(fieldsOf(options), values, estimate);

test('a run within the limits that there are is not refused', () => {
	expect(guarding({}, 1_000_000, NaN)).not.toThrow();
	expect(guarding({ maxValues: 2 }, 2, 9)).not.toThrow();
	expect(guarding({ maxCredits: 2 }, 9, 2)).not.toThrow();
	expect(guarding({ maxCredits: 0 }, 9, 2_000)).not.toThrow();
});

test.each<[IDataObject, number, number, string, string]>([
	[{ maxValues: 2 }, 3, 0, 'This run would look up 3 values, more than Max Values allows (2)', RAISE],
	[
		{ maxCredits: 2 },
		1,
		3,
		`${COSTS} 3 credits, more than the Spending Limit of 2`,
		`Raise it to 3${LOWER}`,
	],
	[{ maxCredits: 2 }, 1, NaN, UNCERTAIN, `Set it to 0 for no limit${LOWER}`],
])('with %j, %d values for %d credits are refused: %s', (options, values, estimate, message, advice) => {
	const refusal = { message, description: `Nothing was sent. ${advice}` };
	expect(guarding(options, values, estimate)).toThrow(expect.objectContaining(refusal) as Error);
});

describe('another job', () => {
	const refusalAfter = (jobs: Array<ReturnType<typeof job>>, maxCredits: number) => {
		const spending = new Spending(fieldsOf({ maxCredits }), dialectOf());
		for (const one of jobs) spending.add(one);
		return spending.refusalOf(job(2));
	};

	/** Says what the service has reserved, what the job would cost, and that nothing was sent. */
	const refusal = (reserved: number, next: number, limit: number) => ({
		...{ kind: 'overLimit', endpoint: ENDPOINTS.create, effect: 'none' },
		detail: `The service has reserved ${reserved} credits for earlier jobs of this run, and this job would cost about ${next} more; the Spending Limit is ${limit}. Nothing was sent for it`,
	});

	test.each<[string, Array<ReturnType<typeof job>>, number, object | undefined]>([
		['is not refused by the estimate alone', [job(5)], 1, undefined],
		['is refused at the rate that the service has shown', [job(2, 4)], 7, refusal(4, 4, 7)],
		['is refused at a rate that is no whole number', [job(3, 4)], 5, refusal(4, 3, 5)],
		['is not refused up to the limit', [job(2, 4)], 8, undefined],
		['counts jobs of which nothing is said as estimated', [job(2, 4), job(1)], 8, refusal(4, 4, 8)],
		['counts nothing where nothing is booked', [job(2, 0), job(9)], 1, undefined],
	])('%s', (_name, jobs, maxCredits, refused) => {
		expect(refusalAfter(jobs, maxCredits)).toEqual(refused);
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
