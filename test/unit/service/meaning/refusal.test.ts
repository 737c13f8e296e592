import fc from 'fast-check';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../../../../nodes/PriceCollection/service/connection';
import { decodeBody } from '../../../../nodes/PriceCollection/service/http/decode/body';
import type { Problem } from '../../../../nodes/PriceCollection/service/problems';
import {
	refusalIn,
	speaksOfError,
	type RequestInfo,
} from '../../../../nodes/PriceCollection/service/meaning/refusal';
import { errorIn, reasonIn } from '../../../../nodes/PriceCollection/service/text';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { readCases } from '../../cases';
import { dialectOf } from '../../fakeClient';
import { faultTexts } from './refused';

type Name = keyof typeof ENDPOINTS;

const clean = (text: string) => text.replaceAll('KEYKEY', '***');
const JOB_ID = 'a1';

/** Beside the request: the service's dialect, and what of the body can be shown. */
type Circumstances = Partial<RequestInfo> & { connection?: ConnectionSettings; excerpt?: string };

/** What a reply comes to, given as text or as JSON. */
async function judged(
	status: number,
	given: unknown,
	name: Name = 'get',
	{ connection = dialectOf(), excerpt, ...more }: Circumstances = {},
) {
	const text = typeof given === 'string' ? given : JSON.stringify(given);
	const body = await decodeBody(Buffer.from(text), undefined, async () => {});
	const endpoint = ENDPOINTS[name];
	const asked = { endpoint, ...(endpoint.ofJob && { jobId: JOB_ID }), ...more };
	return refusalIn({ status, body, excerpt: excerpt ?? clean(text) }, asked, connection, clean);
}

const refusedFor = (reason: string, more = {}) => ({ success: false, reason, ...more });

const CHAPTERS = readCases(join(__dirname, 'refusal.cases.txt'));

const BELOW_500 = '200, 400, 401, 402, 403, 404, 409, 410, 422, 429';
const EFFECTS: Readonly<Record<string, Problem['effect']>> = { nothing: 'none', unclear: 'unknown' };

/** The requests of a case, each with each of its HTTP statuses. */
function repliesOf(request: string, statuses: string) {
	const [names = '', sent] = request.split(/ (?=\{)/);
	const more = sent === undefined ? {} : { body: JSON.parse(sent) as IDataObject };
	return names.split(', ').flatMap((word) => {
		const name = word === 'usage' ? 'usageToday' : (word as Name);
		const codes = statuses === 'below 500' ? BELOW_500 : statuses;
		return codes.split(', ').map((code) => ({ name, status: Number(code), more }));
	});
}

/** A problem with what it says of parameters in words, as the table has it. */
const inWords = ({ faults, ...problem }: Problem) => ({
	...problem,
	...(faults !== undefined && { faults: faultTexts(faults).join('; ') }),
});

describe.each(CHAPTERS)('%s', (_chapter, cases) => {
	test.each(cases)('%s', async (_case, request = '', statuses = '', body = '', ...answer) => {
		const [meaning = '', done = '', ...said] = answer;
		const replies = repliesOf(request, statuses);
		const changesAny = replies.some(({ name }) => ENDPOINTS[name].changes);
		for (const { name, status, more } of replies) {
			const problem = await judged(status, body, name, more);
			if (meaning === 'answer') {
				expect([name, status, problem, answer]).toEqual([name, status, undefined, ['answer']]);
				continue;
			}
			const endpoint = ENDPOINTS[name];
			expect([name, status, problem && inWords(problem)]).toEqual([
				name,
				status,
				{
					...{ kind: meaning, endpoint, status },
					effect: endpoint.changes || !changesAny ? EFFECTS[done] : 'none',
					...Object.fromEntries(said.map((fact) => fact.split(/: (.*)/, 2))),
				},
			]);
		}
	});
});

/** The bodies of a chapter. */
function bodiesIn(chapter: string): string[] {
	const [, cases] = CHAPTERS.find(([title]) => title === chapter) ?? [];
	if (cases === undefined) throw new Error(`There is no chapter "${chapter}"`);
	return cases.map(([, , , body = '']) => body);
}

test.each(bodiesIn('A success status is a refusal all the same where the body says so'))(
	'what says so says it in an envelope, too: %s',
	async (body) => {
		const part = JSON.parse(body) as IDataObject;
		expect(speaksOfError(part)).toBe(true);
		for (const status of [200, 399]) {
			const meant = await judged(status, part, 'create');
			expect(meant).toBeDefined();
			for (const around of [{ data: part }, { response: part, version: 2 }]) {
				const problem = await judged(status, around, 'create');
				expect({ ...problem, detail: '' }).toEqual({ ...meant, detail: '' });
			}
		}
	},
);

test.each(['Missing Parameter', 'missing_parameter', 'MISSING-PARAMETER!', ' missing  parameter. '])(
	'a phrase of the document counts in any spelling: %s',
	async (reason) => {
		const said = reason.trim().replace('  ', ' ');
		const meant = { kind: 'missingParameter', effect: 'none', reason: said };
		expect(await judged(400, refusedFor(reason), 'create')).toMatchObject(meant);
		expect(await judged(400, { error: reason }, 'create')).toMatchObject(meant);
	},
);

test.each(['3f2b-11', '$(*)+.?[\\]^{|}-', 'ü', 'a\ud800'])(
	'words name the job whatever characters its ID has: %s',
	async (jobId) => {
		const problem = await judged(404, { message: `There is no job ${jobId}.` }, 'get', { jobId });
		expect(problem).toMatchObject({ kind: 'jobNotFound', effect: 'none', about: 'job' });
	},
);

test('a body of which nothing can be shown is like none', async () => {
	const noReason =
		'It gives no reason. A firewall, or the proxy that n8n uses, may have refused the request before it reached the service';
	const shown = await Promise.all([400, 429].map((status) => judged(status, {}, 'get', { excerpt: '' })));
	expect(shown.map((problem) => [problem?.kind, problem?.detail])).toEqual([
		['refused', noReason],
		['rateLimited', undefined],
	]);
});

describe('the words of a refusal', () => {
	it('are cleaned and cut', async () => {
		const more = { parameter: 'KEYKEY', comment: `KEYKEY ${'x'.repeat(900)}` };
		const problem = await judged(400, refusedFor('bad KEYKEY', more));
		expect(problem).toMatchObject({ reason: 'bad ***', parameter: '***', detail: undefined });
		expect(problem?.comment).toMatch(/^\*\*\* x{496}$/);
	});

	it('are looked for in the beginning of a text', () => {
		expect(reasonIn({ message: 'no '.repeat(400_000) })?.length).toBeLessThan(6_000);
	});

	it('are those of the first value that speaks of an error', () => {
		expect(errorIn(null, 'none', ' OK ', '0', {}, ['no way'], 'never')).toBe('no way');
		expect(errorIn(undefined, 'false', [])).toBeUndefined();
	});
});

describe('a refusal for a parameter that was not sent', () => {
	const body = { topic: 'search' };
	const setting = 'Source and Country are both empty: fill in both';

	const connection = dialectOf({ requestNames: { names: [{ meaning: 'country', fields: 'land' }] } });

	test.each([
		[refusedFor('odd', { parameter: 'Land' }), 'odd', 'value'],
		[{ errors: { land: ['is required'] } }, 'land: is required', 'missing'],
	])('is no misspelling under the name that the service has: %j', async (given, reason, complaint) => {
		const problem = await judged(422, given, 'create', { body, connection });
		expect(problem && inWords(problem)).toEqual({
			...{ kind: 'missingParameter', endpoint: ENDPOINTS.create, status: 422, effect: 'none', reason },
			...{ parameter: 'country', faults: `unsent land is country: ${complaint}`, setting },
		});
	});

	test('is none under that name if it was sent, and is said under that of the document', async () => {
		const sent = { body: { topic: 'search', land: 'de' }, connection };
		const problem = await judged(422, refusedFor('odd', { parameter: 'Land' }), 'create', sent);
		expect(problem && inWords(problem)).toMatchObject({
			...{ kind: 'refused', parameter: 'country', faults: 'land is country: value' },
		});
	});

	test('shows no secret in place of its name', async () => {
		const long = 'x'.repeat(60);
		const given = { errors: { KEYKEY: ['is missing'], [`${long}KEYKEY`]: ['is missing'] } };
		const problem = await judged(422, given, 'create', { body });
		expect(problem?.faults?.map(({ serviceName }) => serviceName)).toEqual(['***', long.slice(0, 40)]);
		expect(JSON.stringify(problem)).not.toContain('KEY');
	});
});

describe('whatever the words, the status and the envelope are', () => {
	const word = fc.constantFrom(
		...[
			'plan',
			'retired',
			'cancelled',
			'canceled',
			'API',
			'key',
			'credits',
			'quota',
			'source',
			'unknown',
		],
		...['not', 'found', 'allowed', 'finished', 'already', 'expired', 'account', 'job', 'Version', 'gone'],
	);
	// Longer than any documented phrase.
	const sentence = fc.array(word, { minLength: 8, maxLength: 12 }).map((words) => words.join(' '));
	const sentences = fc.uniqueArray(sentence, { minLength: 1, maxLength: 3 });
	const around = fc.constantFrom<(part: object) => object>(
		(part) => part,
		(part) => ({ data: part }),
		(part) => ({ response: part, took: 3 }),
	);
	const names = fc.constant<Name[]>(['create', 'list', 'get', 'download', 'cancel', 'usageToday']);
	const status = fc.constantFrom(200, 400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503);

	test('free words never change what a refusal means, and are shown in their order', async () => {
		await fc.assert(
			fc.asyncProperty(sentences, around, names, status, async (words, wrap, endpoints, code) => {
				for (const name of endpoints) {
					const meant = await judged(
						code,
						wrap({ success: false, errors: ['Surprise here'] }),
						name,
					);
					const problem = await judged(code, wrap({ success: false, errors: words }), name);
					expect(problem).toEqual({ ...meant, reason: words.join('; ') });
				}
			}),
		);
	});

	test('no job is taken for a refusal, and no refusal for a job', async () => {
		const verdict = fc.constantFrom(
			{ status: 'error' },
			{ success: false },
			{ error: true },
			{ status: 422 },
		);
		const jobStatus = fc.constantFrom('new', 'finished', 'failed', 'error', 'cancelled', 'odd');
		await fc.assert(
			fc.asyncProperty(sentence, around, verdict, jobStatus, async (message, wrap, said, state) => {
				const refusal = { id: 'req-19', message, ...said };
				for (const name of ['create', 'get', 'download', 'cancel'] as const)
					expect(await judged(200, wrap(refusal), name)).toMatchObject({
						reason: expect.stringContaining(message),
					});
				for (const job of [{ job_id: JOB_ID }, { id: JOB_ID }])
					expect(
						await judged(200, wrap({ ...said, ...job, message, status: state })),
					).toBeUndefined();
				expect(
					await judged(200, wrap({ job_id: 'x', message, status: state }), 'create'),
				).toBeUndefined();
			}),
		);
	});
});
