import fc from 'fast-check';
import { joinResults } from '../../../../nodes/PriceCollection/run/lookup/join';
import {
	planJobs,
	type ItemRequest,
	type PlannedJob,
} from '../../../../nodes/PriceCollection/run/lookup/plan';
import { identityOf, readValues } from '../../../../nodes/PriceCollection/run/lookup/values';
import type { Result } from '../../../../nodes/PriceCollection/service/types';
import { runs } from '../../../runs';

/** Values that meet again under another spelling, and others that only nearly do. */
const digits = fc.stringMatching(/^[1-9]\d{0,12}$/);
const value = fc.oneof(
	fc.constantFrom('a', 'A', 'ａ', 'b', 'tea pot', 'Tea  Pot', 'Straße', 'STRASSE', 'Cafe\u0301', 'Café'),
	fc.constantFrom('咖啡', '☕️', '1', '12', '123', '0123', '00123'),
	digits,
	fc.tuple(fc.integer({ min: 1, max: 3 }), digits).map(([zeros, text]) => '0'.repeat(zeros) + text),
	fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const separator = fc.constantFrom('\n', '\r\n', '\n\n', ' \n ');
const raw = fc.oneof(
	fc.array(value, { maxLength: 6 }),
	fc.tuple(fc.array(value, { maxLength: 6 }), separator).map(([values, line]) => values.join(line)),
);
const parameters = fc.record({
	topic: fc.constantFrom('product_and_offers', 'search'),
	key: fc.constantFrom('gtin', 'id', 'term'),
	country: fc.constantFrom('de', 'fr'),
});
const settings = fc.record({
	grouping: fc.constantFrom('combine' as const, 'perItem' as const),
	maxValuesPerJob: fc.integer({ min: 1, max: 5 }),
});
const run = fc.record({
	rows: fc.array(fc.tuple(raw, parameters), { maxLength: 12 }),
	settings,
	/** One number per decision of the service below. */
	seed: fc.infiniteStream(fc.nat({ max: 999 })),
});

/** How a service may write the value it answers. */
const echoes: Array<(text: string) => string> = [
	(text) => text,
	(text) => text.toUpperCase(),
	(text) => ` ${text.normalize('NFKC').toLowerCase().replace(/\s+/g, '  ')} `,
	(text) => (/^\d+$/.test(text) ? text.padStart(14, '0') : text),
	(text) => text.replace(/^0+(?=\d+$)/, ''),
];

/** Texts that are alike here, without case, accents, punctuation and leading zeros, may be taken for each other. */
function lookAlike(text: string): string {
	const levelled = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKD');
	const bare = levelled.replace(/\p{M}/gu, '');
	const words = bare.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
	return (words === '' ? bare.replace(/\s+/g, ' ').trim() : words).replace(/^0+(?=\d+$)/, '');
}

interface Served {
	results: Result[];
	/** What each result was really made for. */
	madeFor: Map<Result, { group: number; identity: string }>;
}

/** A service that answers most values of a job: found, empty, failed, twice or never; shuffled, respelt. */
function serve(job: PlannedJob, next: () => number): Served {
	const madeFor: Served['madeFor'] = new Map();
	const alike = job.values.map(lookAlike);
	const unmistakable = job.values.filter((_value, index) => {
		const text = alike[index] ?? '';
		return alike.indexOf(text) === alike.lastIndexOf(text);
	});
	const results = job.values.flatMap((asked) => {
		// Where another value of the job looks alike, a second answer to one may be that to the other.
		const often = unmistakable.includes(asked) ? 2 : 1;
		const times = [1, 1, 1, 1, 0, often][next() % 6] ?? 1;
		return Array.from({ length: times }, () => {
			// Where another value of the job looks alike, only the exact echo tells them apart.
			const respell = unmistakable.includes(asked) ? echoes[next() % echoes.length] : echoes[0];
			const echoed = respell?.(asked) ?? asked;
			const kind = next() % 3;
			const result: Result = {
				query: next() % 4 === 0 ? { key: job.key, [job.key]: echoed } : { value: echoed },
				success: kind !== 0,
				...(kind === 0 ? { reason: 'not found' } : { content: kind === 1 ? null : { name: asked } }),
			};
			madeFor.set(result, { group: job.group, identity: identityOf(job.key, asked) });
			return result;
		});
	});
	const shuffled = results
		.map((result) => ({ result, place: next() }))
		.sort((a, b) => a.place - b.place)
		.map(({ result }) => result);
	return { results: shuffled, madeFor };
}

function requestsOf(rows: Array<[string | string[], ItemRequest['parameters']]>): ItemRequest[] {
	return rows.map(([text, wire], item) => {
		const read = readValues(text);
		if (!read.ok) throw new Error(read.reason);
		return { item, parameters: wire, values: read.values };
	});
}

const cases = { numRuns: runs(1000) };

test('asks the service for no value twice and for every value once', () => {
	fc.assert(
		fc.property(run, ({ rows, settings: chosen }) => {
			const requests = requestsOf(rows);
			const jobs = planJobs(requests, chosen);
			const purchase = (item: number | '', wire: unknown, identity: string) =>
				JSON.stringify([chosen.grouping === 'perItem' ? item : '', wire, identity]);
			const planned = jobs.flatMap((job) =>
				job.values.map((text) =>
					purchase(job.items[0] ?? '', job.parameters, identityOf(job.key, text)),
				),
			);
			const wanted = requests.flatMap(({ item, parameters: wire, values }) =>
				values.map((text) => purchase(item, wire, identityOf(String(wire.key), text))),
			);
			expect(new Set(planned).size).toBe(planned.length);
			expect(new Set(planned)).toEqual(new Set(wanted));
			for (const job of jobs) {
				expect(job.values.length).toBeGreaterThan(0);
				expect(job.values.length).toBeLessThanOrEqual(chosen.maxValuesPerJob);
				expect(job.items).toEqual([...new Set(job.items)].sort((a, b) => a - b));
			}
		}),
		cases,
	);
});

test('creates as few jobs as the limit allows', () => {
	fc.assert(
		fc.property(run, ({ rows, settings: chosen }) => {
			const jobs = planJobs(requestsOf(rows), chosen);
			for (const job of jobs) {
				const last = jobs.filter(({ group }) => group === job.group).at(-1);
				if (job !== last) expect(job.values).toHaveLength(chosen.maxValuesPerJob);
			}
		}),
		cases,
	);
});

test('loses no item and gives each exactly the results made for its values', () => {
	fc.assert(
		fc.property(run, ({ rows, settings: chosen, seed }) => {
			const requests = requestsOf(rows);
			const next = () => seed.next().value ?? 0;
			const jobs = planJobs(requests, chosen);
			const served = jobs.map((job) => serve(job, next));
			const collected = jobs.map((planned, index) => ({
				// As it comes back from a suspended execution.
				planned: JSON.parse(JSON.stringify(planned)) as PlannedJob,
				results: served[index]?.results ?? [],
			}));
			const joined = joinResults(collected, requests);

			expect(joined.unmatched).toEqual([]);
			expect(joined.items.map(({ item }) => item)).toEqual(requests.map(({ item }) => item));
			joined.items.forEach(({ item, answers }, index) => {
				const { values, parameters: wire } = requests[index]!;
				expect(answers.map((answer) => answer.value)).toEqual(values);
				for (const answer of answers) {
					const job = jobs[answer.job!]!;
					expect(job.parameters).toEqual(wire);
					expect(job.items).toContain(item);
					const identity = identityOf(job.key, answer.value);
					const { results, madeFor } = served[answer.job!]!;
					const own = results.filter((result) => madeFor.get(result)?.identity === identity);
					expect(answer.results).toEqual(own);
					answer.results.forEach((result, place) => expect(result).toBe(own[place]));
				}
			});
		}),
		cases,
	);
});

test('never gives a result to a value that its echo does not look like', () => {
	const echoed = fc.oneof(value, fc.constantFrom('B', '0012', 'ABC', 'STRASSE', 'foreign'));
	fc.assert(
		fc.property(
			fc.uniqueArray(value.map((text) => text.trim()).filter(Boolean), { minLength: 2, maxLength: 8 }),
			fc.array(echoed, { maxLength: 12 }),
			(values, texts) => {
				const planned: PlannedJob = { parameters: {}, key: 'id', values, items: [0], group: 0 };
				const results = texts.map((text): Result => ({ query: { value: text }, success: true }));
				const joined = joinResults([{ planned, results }], [{ item: 0, values }]);
				const answers = joined.items[0]?.answers ?? [];
				const given = answers.flatMap((answer) => answer.results);
				for (const answer of answers) {
					for (const result of answer.results) {
						const text = result.query.value ?? '';
						expect(lookAlike(text)).toBe(lookAlike(answer.value));
						if (values.includes(text)) expect(text).toBe(answer.value);
					}
				}
				const unmatched = joined.unmatched.map(({ result }) => result);
				expect(given.length + unmatched.length).toBe(results.length);
				expect(new Set([...given, ...unmatched])).toEqual(new Set(results));
			},
		),
		cases,
	);
});
