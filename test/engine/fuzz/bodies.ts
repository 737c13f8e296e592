import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';

import { anyJson } from './fuzz';

const FOLDER = path.join(__dirname, 'corpus');

/** Replies of services and of what is in between, such as a proxy. The cases mutate them. */
const CORPUS = readdirSync(FOLDER).map((file) => readFileSync(path.join(FOLDER, file)));

/** What parsers of JSON and XML stumble over. */
const TOKENS = [
	...String.raw`{ } [ ] , : " \ \u \ud800 "": [[[[ }}}} 1e999 - 0x1 01 12345678901234567890 0.1000000000000000055`.split(
		' ',
	),
	...'"__proto__": null true NaN // /* < > </ /> <a> </a> <![CDATA[ ]]> <!-- -->'.split(' '),
	...'&amp; & &#0; &#x110000; &lol;'.split(' '),
	...['<?xml version="1.0" encoding="utf-16"?>', '<!DOCTYPE a [<!ENTITY b "c">]>', ' type="array"'],
	...[' nil="true"', '\uFEFF', '\0', '\r', '\u2028', '\x80', '\xff\xfe', '\xed\xa0\x80', '\x1f\x8b'],
].map((token) => Buffer.from(token, 'latin1'));

const bytes = fc.uint8Array({ maxLength: 12 }).map((some) => Buffer.from(some));

/** One change to a body: insert something at a relative position, and remove or repeat what follows. */
const change = fc.record({
	share: fc.double({ min: 0, max: 1, noNaN: true }),
	token: fc.oneof(fc.constantFrom(Buffer.alloc(0), ...TOKENS), bytes),
	length: fc.oneof(fc.constantFrom(0, Infinity), fc.integer({ min: 1, max: 200 })),
	times: fc.constantFrom(0, 0, 1, 8),
});

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function changed(body: Buffer, { share, token, length, times }: Change): Buffer {
	const at = Math.floor(share * body.length);
	const [before, behind] = [body.subarray(0, at), body.subarray(at)];
	const piece = behind.subarray(0, length);
	return Buffer.concat([before, token, ...Array<Buffer>(times).fill(piece), behind.subarray(length)]);
}

/** A reply from the corpus with some changes. */
const mutated = fc
	.tuple(fc.constantFrom(...CORPUS), fc.array(change, { maxLength: 6 }))
	.map(([body, changes]) => changes.reduce(changed, body));

/** Deeper nesting than any reply has. */
const deep = fc
	.tuple(fc.constantFrom('[', '{"a":', '<a>', '<a b="c">'), fc.integer({ min: 1, max: 20_000 }))
	.map(([begin, count]) => Buffer.from(begin.repeat(count)));

/** Any body: a changed one from the corpus, any JSON, deep nesting, or random bytes. */
export const anyBody = fc.oneof(
	{ arbitrary: mutated, weight: 12 },
	{ arbitrary: anyJson.map((value) => Buffer.from(JSON.stringify(value))), weight: 4 },
	{ arbitrary: deep, weight: 1 },
	{ arbitrary: fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some)), weight: 1 },
);

const JSON_TYPE = 'application/json';
export const anyContentType = fc.constantFrom(
	...[undefined, '', JSON_TYPE, `${JSON_TYPE}; charset=utf-16`, `${JSON_TYPE}; charset="no such"`],
	...['application/xml', 'text/html', 'text/xml; charset=iso-8859-1', 'application/octet-stream'],
);
