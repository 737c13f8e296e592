import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { decodeBody } from '../../../../nodes/PriceCollection/service/decode/body';
import { runs } from '../../../runs';
import { asJson, asXml, documents, noises, readIndependently, valueOf } from './railsDocuments';

const CASES = runs(1_000);

/** Many cases take longer than jest's default on a busy machine. */
const PATIENCE = 120_000;

const decode = async (text: string) => await decodeBody(Buffer.from(text), undefined, async () => {});

function expectSame(actual: unknown, expected: unknown): void {
	// Unlike jest's equality this one also tells own `__proto__` fields apart.
	if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected);
	expect(isDeepStrictEqual(actual, expected)).toBe(true);
}

describe('documents as JSON and as XML', () => {
	it(
		'give the same value, and a second, independent XML reader agrees',
		async () => {
			await fc.assert(
				fc.asyncProperty(documents, noises, async (model, noise) => {
					const value = valueOf(model);
					const xml = asXml(model, noise);
					const fromJson = await decode(asJson(model));
					const fromXml = await decode(xml);
					expect([fromJson.ok, fromXml.ok]).toEqual([true, true]);
					expectSame(fromJson.ok && fromJson.value, value);
					expectSame(fromXml.ok && fromXml.value, value);
					expectSame(readIndependently(xml), value);
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);

	it(
		'are refused as truncated or malformed wherever they are cut',
		async () => {
			await fc.assert(
				fc.asyncProperty(
					documents,
					noises,
					fc.double({ min: 0, max: 0.999, noNaN: true }),
					async (model, noise, at) => {
						const json = asJson(model);
						const xml = asXml(model, noise);
						const document = xml.slice(
							0,
							Math.max(xml.lastIndexOf('</hash>'), xml.lastIndexOf('/>')),
						);
						for (const whole of [json, document]) {
							const half = whole.slice(0, Math.floor(whole.length * at));
							const decoded = await decode(half);
							expect(decoded).toMatchObject({
								ok: false,
								problem: half.trim() === '' ? 'empty' : 'malformed',
							});
						}
					},
				),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);

	it(
		'never make decoding throw when they are damaged',
		async () => {
			const damage = fc.record({
				at: fc.nat(),
				length: fc.nat({ max: 3 }),
				text: fc.string({ maxLength: 3 }),
			});
			await fc.assert(
				fc.asyncProperty(documents, noises, damage, async (model, noise, { at, length, text }) => {
					for (const whole of [asJson(model), asXml(model, noise)]) {
						const start = at % whole.length;
						const decoded = await decode(
							whole.slice(0, start) + text + whole.slice(start + length),
						);
						expect(typeof decoded.ok).toBe('boolean');
					}
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);

	it(
		'of mere markup never make decoding throw',
		async () => {
			const token = fc.constantFrom(
				...[
					'<',
					'>',
					'/',
					'<a>',
					'</a>',
					'<a/>',
					'<a',
					' b="c"',
					'<!--',
					'-->',
					'<![CDATA[',
					']]>',
					'<?x',
					'?>',
				],
				...[
					'<!DOCTYPE a',
					'[',
					']',
					'<!ENTITY b "&b;">',
					'&b;',
					'&#0;',
					'&#xFFFFFFFF;',
					'&amp;',
					'"',
					"'",
					'x',
					'\n',
				],
			);
			await fc.assert(
				fc.asyncProperty(fc.array(token, { maxLength: 20 }), async (tokens) => {
					expect(typeof (await decode(`<${tokens.join('')}`)).ok).toBe('boolean');
				}),
				{ numRuns: CASES },
			);
		},
		PATIENCE,
	);
});
