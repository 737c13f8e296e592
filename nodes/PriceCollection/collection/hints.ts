import type { IDataObject, IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { ResultCounts } from '../output/rows';

/** Shows a remark under the output. n8n versions without hints go without. */
export function hint(
	context: IExecuteFunctions,
	message: string,
	type: NodeExecutionHint['type'] = 'info',
): void {
	context.addExecutionHints?.({ message, type, location: 'outputPane' });
}

/** "1 job", "2 jobs". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The warning for a run that creates more jobs than there are input items, or undefined. */
export function manyJobsWarning(jobs: number, items: number): string | undefined {
	if (jobs <= items) return undefined;
	return `This run creates ${counted(jobs, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
}

/** Credits as downloads state them, added up; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const sum = (name: string) => {
		const numbers = roots.map((root) => Number(root[name] ?? NaN)).filter(Number.isFinite);
		return numbers.length === 0 ? undefined : numbers.reduce((a, b) => a + b, 0);
	};
	const [paid, free] = [sum('paid_credits'), sum('free_credits')];
	if (paid === undefined && free === undefined) return undefined;
	return `Credits: ${paid ?? 0} paid, ${free ?? 0} free.`;
}

/**
 * What a run brought: "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered."
 *
 * @param counts what its results say; absent where they were not looked into
 */
export function runSummary(
	jobs: number,
	values: number,
	counts: (ResultCounts & { unanswered: number }) | undefined,
	credits: string | undefined,
): string {
	const size = `${counted(jobs, 'job')}, ${counted(values, 'value')}`;
	const kinds =
		counts === undefined
			? []
			: [`${counts.found} found`, `${counts.notFound} not found`, `${counts.failed} failed`];
	if (counts !== undefined && counts.unanswered > 0) kinds.push(`${counts.unanswered} unanswered`);
	const summary = kinds.length === 0 ? `${size}.` : `${size}: ${kinds.join(', ')}.`;
	return credits === undefined ? summary : `${summary} ${credits}`;
}
