import { Dice } from './content/random.ts';
import { answeredValues } from './job.ts';
import type { Job } from './job.ts';
import { namedResult } from './naming.ts';
import type { SandboxOptions } from './options.ts';
import { resultOf } from './results.ts';
import type { Result } from './results.ts';

type Fields = Record<string, unknown>;

const WITHOUT_ACCENTS = /\p{Diacritic}/gu;
const PUNCTUATION = /[^\p{Letter}\p{Number}\s]/gu;

const ECHOES = {
	asSent: (value: string) => value,
	lowerCase: (value: string) => value.toLowerCase(),
	/** Lower case, without accents and punctuation, with single blanks. */
	plain: (value: string) =>
		value
			.normalize('NFD')
			.replace(WITHOUT_ACCENTS, '')
			.replace(PUNCTUATION, ' ')
			.toLowerCase()
			.replace(/\s+/g, ' ')
			.trim(),
	padded: (value: string) => ` ${value} `,
};

function echoOf(query: Fields, { valueEcho }: SandboxOptions): Fields {
	const { key, value, ...rest } = query;
	if (valueEcho === 'nothing') return rest;
	if (valueEcho === 'underKey') return { ...rest, [String(key)]: value };
	return { ...query, value: ECHOES[valueEcho](String(value)) };
}

/** An object as it is, an empty list, null, or undefined, which omits the field. */
const mapAs = (shape: SandboxOptions['resultQuery'], fields: Fields): unknown =>
	({ object: fields, emptyList: [], null: null, absent: undefined })[shape];

const successAs = (shape: SandboxOptions['resultSuccess'], success: boolean): unknown =>
	({ boolean: success, text: String(success), number: Number(success), null: null, absent: undefined })[
		shape
	];

const reasonAs = (shape: SandboxOptions['resultReason'], reason: string | undefined): unknown =>
	reason && { text: reason, object: { code: 17, message: reason }, list: [reason] }[shape];

/** The result at `index` of its job as it is sent, with the echo and the oddities that are switched on. */
export function shapedResult(result: Result, index: number, options: SandboxOptions): Fields {
	const query = echoOf(result.query, options);
	const odd = options.oddResults === 'every' || index === 1;
	const shaped = odd
		? {
				...result,
				query: mapAs(options.resultQuery, query),
				success: successAs(options.resultSuccess, result.success),
				reason: reasonAs(options.resultReason, result.reason),
				metadata: mapAs(options.resultMetadata, result.metadata),
			}
		: { ...result, query };
	const { content, ...rest } = shaped;
	const place = options.resultContent;
	const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
	const isAmongFields = place === 'flat' || place === 'beside';
	const placed =
		isAmongFields && isObject
			? { ...(place === 'beside' && { content: null }), ...content }
			: { [isAmongFields ? 'content' : place]: content };
	const { resultComment: comment } = options;
	const sent = Object.entries({ ...rest, ...(comment !== '' && { comment }), ...placed }).filter(
		([, field]) => field !== undefined,
	);
	return namedResult(Object.fromEntries(sent), options);
}

/** Values that were not requested, in the form of the key. */
function unaskedValues(job: Job, count: number): string[] {
	return Array.from({ length: count }, (_, index) =>
		job.request.key === 'gtin' ? `400638133${1000 + index}` : `unasked-${index + 1}`,
	);
}

/** The values that have a result by now, in the order of the results. */
export function resultValues(job: Job, now: number, options: SandboxOptions): string[] {
	const values = [...answeredValues(job, now), ...unaskedValues(job, options.extraResults)];
	if (options.resultsOrder === 'reversed') return values.reverse();
	return options.resultsOrder === 'asAsked' ? values : new Dice(job.id).shuffled(values);
}

/** What a running job may show: results for the first half of its values, as they are sent. */
export function resultsSoFar(job: Job, options: SandboxOptions): Fields[] {
	const { values } = job.request;
	const some = values.slice(0, Math.ceil(values.length / 2));
	return some.map((value, index) => shapedResult(resultOf(job, value, options), index, options));
}

/** The true results of a job in the document's shape, however they are sent. */
export function trueResults(job: Job, now: number, options: SandboxOptions): Result[] {
	const isServed = job.state === 'running' || job.state === 'finished' || options.endedDownload === 'serve';
	return isServed ? resultValues(job, now, options).map((value) => resultOf(job, value, options)) : [];
}
