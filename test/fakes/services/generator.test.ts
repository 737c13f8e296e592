import fc from 'fast-check';

import { useSandbox } from '../../support/useSandbox';
import { expectedFor } from './expected';
import { becomeService, type JobSpec, type Known } from './jobs';
import type { Fields, Observed, Operation } from './operations';
import { POINTS } from './points';
import { problemWithBest } from './prices';
import { arbitraryServices, serviceOf } from './service';
import { verdictOn } from './verdict';

const sandbox = useSandbox({ manualClock: true });

test('every choice of every point comes up, in JSON and in XML, with any seed', () => {
	const points = Object.entries(POINTS).filter(([point]) => point !== 'format');
	for (const format of ['json', 'xml'] as const) {
		const [services = []] = fc.sample(arbitraryServices(format), 1);
		for (const [point, choices] of points) {
			const [usual, ...odd] = Object.keys(choices);
			const seen = services.map((service) => service.choices[point] ?? usual);
			expect([point, odd.filter((name) => !seen.includes(name))]).toEqual([point, []]);
		}
		expect(new Set(services.map((service) => service.format))).toEqual(new Set([format]));
	}
	expect(() => serviceOf({ envelope: 'paper' })).toThrow('The point envelope has no choice paper');
});

describe('the oracle', () => {
	const job = { topic: 'product_and_offers', source: 'amazon', key: 'term' };
	const jobs: JobSpec[] = [
		{ ...job, values: ['many-3', 'Crème-Brûlée', 'notfound', 'fail', 'nulls'], over: true },
		{ ...job, values: ['kettle'], over: false },
	];
	let known: Known;
	beforeEach(async () => {
		known = await becomeService(sandbox, serviceOf({}), jobs);
	});

	const judged = (operation: Operation, observed: Partial<Observed>) => {
		const service = serviceOf({});
		const nothing: Observed = {
			...{ items: [], askers: [], files: [], hints: [] },
			...{ created: [], createdResults: [], jobs: sandbox.jobs },
		};
		return verdictOn(operation, service, known, expectedFor(operation, service, known), {
			...nothing,
			...observed,
		});
	};
	const whole = (): Fields[] =>
		(known.jobs[0]?.results ?? []).map(({ truth }) => ({ job_id: known.jobs[0]?.id, ...truth }));
	const replaced = (pattern: RegExp, text: string) => (rows: Fields[]) =>
		JSON.parse(JSON.stringify(rows).replace(pattern, text)) as Fields[];
	test.each<[string, string, (rows: Fields[]) => Fields[]]>([
		['what is right', 'right', (rows) => rows],
		['a result that is missing', 'wrong', (rows) => rows.slice(1)],
		['results in another order', 'wrong', (rows) => rows.toReversed()],
		['a result too many', 'wrong', (rows) => [...rows, ...rows.slice(0, 1)]],
		[
			'a failure that became a success',
			'wrong',
			(rows) => rows.map((row) => ({ ...row, success: true })),
		],
		['a job of somebody else', 'wrong', (rows) => rows.map((row) => ({ ...row, job_id: 'other' }))],
		['a field that is missing', 'wrong', (rows) => rows.map((row) => ({ ...row, metadata: undefined }))],
		['a price that became a number', 'wrong', replaced(/"price":"([\d.]+)"/, '"price":$1')],
		['a null that became 0', 'wrong', replaced(/"tax":null/, '"tax":0')],
		['an offer that is lost', 'wrong', replaced(/"offers":\[\{.*?\},/, '"offers":[')],
	])('knows %s to be %s', (_what, verdict, spoilt) => {
		expect(judged('downloadResults', { items: spoilt(whole()) }).kind).toBe(verdict);
	});

	describe('of an offer', () => {
		const offer = {
			price: '9.00',
			price_with_shipping: '9.00',
			currency: 'EUR',
			shop_name: 'A',
			url: 'a',
		};
		const used = {
			...offer,
			price: '5.00',
			price_with_shipping: '5.00',
			condition_code: 'used',
			url: 'b',
		};
		const free = { ...offer, price: '8.00', price_with_shipping: '12.00', url: 'c' };
		const content = {
			offers: [used, free, offer, { ...used, currency: 'USD', condition_code: 'new' }, offer],
		};
		const row = {
			...{ best_price: 9, best_total: 9, best_currency: 'EUR', best_shop: 'A' },
			...{ best_condition: null, best_url: 'a' },
		};
		test.each<[string, Fields, boolean]>([
			['the cheapest', {}, true],
			['a used one', { best_price: 5, best_total: 5, best_condition: 'used', best_url: 'b' }, false],
			['a cheaper one without its shipping', { best_price: 8, best_total: 12, best_url: 'c' }, false],
			['another shop', { best_shop: 'B' }, false],
			['none', { best_price: null }, false],
		])('knows whether %s is the best', (_what, changes, isRight) => {
			const service = serviceOf({ conditionName: 'state_of_item' });
			const result = { query: {}, success: true, metadata: {}, content };
			const judged = { ...row, ...changes };
			const problem = problemWithBest(service, result, 'product_and_offers', judged, []);
			expect(problem === undefined).toBe(isRight);
		});
	});

	test('wants a row with a reason for what a failed job does not give, and no end that the user has named', async () => {
		const verdicts = async (end: string, operation: Operation, items: Fields[]) => {
			const service = serviceOf({ end });
			known = await becomeService(sandbox, service, jobs);
			const nothing = { askers: [], files: [], hints: [], created: [], createdResults: [] };
			const observed: Observed = { ...nothing, items, jobs: sandbox.jobs };
			return verdictOn(operation, service, known, expectedFor(operation, service, known), observed)
				.kind;
		};
		const failed = { success: false, found: false, reason: 'the source blocked the job' };
		expect(await verdicts('failed', 'downloadRows', [failed])).toBe('right');
		expect(await verdicts('failed', 'downloadRows', [{ ...failed, reason: '' }])).toBe('wrong');
		expect(await verdicts('failed', 'downloadRows', [])).toBe('wrong');
		expect(await verdicts('cancelledPartial', 'downloadRows', [failed])).toBe('wrong');
		const ticket = { still_running: true, status: 'wrapped_up' };
		expect(await verdicts('ownFinished', 'wait', [ticket])).toBe('wrong');
	});

	test('finds a job that is paid twice or lost, even behind an error, and one that is not cancelled', () => {
		const created = sandbox.jobs.slice(0, 2);
		const error = { message: 'No answer', description: '' };
		expect(judged('create', { created, error }).why).toBe('2 jobs were created in place of 1');
		expect(judged('create', { created: created.slice(1), error }).why).toContain(
			'says nothing of the job',
		);
		const naming = { message: 'No answer', description: `Job: ${created[1]?.job_id}` };
		expect(judged('create', { created: created.slice(1), error: naming }).kind).toBe('needless');
		const items = [{ job_id: known.jobs[1]?.id }];
		expect(judged('cancel', { items }).why).toBe('the job is working in place of cancelled');
	});
});
