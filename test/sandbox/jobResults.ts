import { Dice } from './content/random.ts';
import { answeredValues } from './job.ts';
import type { Job } from './job.ts';
import type { SandboxOptions } from './options.ts';
import { shapedResult } from './resultShape.ts';
import { resultOf } from './results.ts';
import type { Result } from './results.ts';

/** Values that nobody asked for, in the form of the key. */
function unaskedValues(job: Job, count: number): string[] {
	return Array.from({ length: count }, (_, index) =>
		job.request.key === 'gtin' ? `400638133${1000 + index}` : `unasked-${index + 1}`,
	);
}

/** The values that the results of a job are about by now, in the order of the results. */
export function resultValues(job: Job, now: number, options: SandboxOptions): string[] {
	const values = [...answeredValues(job, now), ...unaskedValues(job, options.extraResults)];
	if (options.resultsOrder === 'reversed') return values.reverse();
	if (options.resultsOrder === 'asAsked') return values;
	const dice = new Dice(job.id);
	const ranked = values.map((value) => ({ value, rank: dice.number(0, 1_000_000) }));
	return ranked.sort((a, b) => a.rank - b.rank).map(({ value }) => value);
}

/** The results of a job in the document's own shape: what is true, however it is sent. */
export function trueResults(job: Job, now: number, options: SandboxOptions): Result[] {
	return resultValues(job, now, options).map((value) => resultOf(job, value, options));
}

/** The results of a job as they are sent. */
export function shapedResults(
	job: Job,
	now: number,
	options: SandboxOptions,
): Array<Record<string, unknown>> {
	return trueResults(job, now, options).map((result, index) => shapedResult(result, index, options));
}
