import fc from 'fast-check';

import { useSandbox } from '../useSandbox';
import { expectedFor } from './expected';
import { becomeService, EVERY_KIND_OF_JOB } from './jobs';
import type { Known } from './jobs';
import type { Fields, Observed, Operation } from './operations';
import { POINTS } from './points';
import { arbitraryServices, serviceOf, simplest } from './service';
import type { GeneratedService } from './service';
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

test('a service that fails is told by the choices that make it fail', async () => {
	const service = serviceOf({ format: 'xml', listWay: 'cursor', envelope: 'data', usageShape: 'array' });
	const fails = async ({ choices }: GeneratedService) =>
		choices.listWay === 'cursor' && choices.format === 'xml';
	expect((await simplest(service, fails)).choices).toEqual({ format: 'xml', listWay: 'cursor' });
});

describe('the oracle', () => {
	let known: Known;
	beforeEach(async () => {
		known = await becomeService(sandbox, serviceOf({}), EVERY_KIND_OF_JOB);
	});

	const judged = (
		operation: Operation,
		observed: Partial<Observed>,
		choices: Record<string, string> = {},
	) => {
		const service = serviceOf(choices);
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
	const listed = (): Fields[] => {
		const expected = expectedFor('getAll', serviceOf({}), known);
		return expected.kind === 'items' ? expected.items.map(({ has }) => has) : [];
	};

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

	test('takes fewer jobs of a list only where a hint says so, or nobody can know that there are more', () => {
		const some = listed().slice(0, 2);
		expect(judged('getAll', { items: listed() }).kind).toBe('right');
		expect(judged('getAll', { items: some }).kind).toBe('wrong');
		expect(judged('getAll', { items: some, hints: ['2 of more jobs came'] }).kind).toBe('clear');
		const mute = { listShape: 'array', listWay: 'cursorOnlyMore' };
		expect(judged('getAll', { items: some }, mute).kind).toBe('clear');
		expect(judged('getAll', { items: [] }, mute).kind).toBe('wrong');
		expect(judged('getAll', { items: some }, { ...mute, listWay: 'cursorLink' }).kind).toBe('wrong');
	});

	test.each<[Operation, string, string, Record<string, string>]>([
		['downloadEarly', 'The job is not over', 'clear', {}],
		['downloadRows', 'The answer is not what this endpoint returns', 'needless', {}],
		['get', "Cannot read properties of undefined (reading 'status')", 'unclear', {}],
		['createRefused', 'Refused', 'unclear', {}],
		['createRefused', "Refused: There is no source 'nowhere'.", 'clear', {}],
		['create', 'It is not known whether the job exists', 'clear', { createReply: 'timedOut' }],
	])('of %s takes the error "%s" to be %s', (operation, message, verdict, choices) => {
		expect(judged(operation, { error: { message, description: '' } }, choices).kind).toBe(verdict);
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
