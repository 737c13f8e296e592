import { shapedResult } from '../sandbox/resultShape';
import type { Result } from '../sandbox/results';
import { rowItem } from './expected';
import type { Expected } from './expected';
import { leavesOf } from './leaves';
import type { Fields, Observed } from './operations';
import type { GeneratedService } from './service';

/** How the rows of a collect are held against what the service found, value by value. */

/** Reasons that are said of a value without a result; untrue where the service sent one. */
const UNANSWERED = /not answered|unanswered|ended before/i;

/** Whether the service names the value of this result as it was asked, and no other result by the same name. */
function isTold(service: GeneratedService, result: Result, index: number): boolean {
	const { query } = shapedResult(result, index, service.options);
	const echo = typeof query === 'object' && query !== null ? (query as Fields).value : undefined;
	return echo === result.query.value;
}

/** A row that says that it cannot tell, and gives nothing of any content. */
function isHonest(row: Fields): boolean {
	return (
		row.success === false &&
		row.found !== true &&
		leavesOf(row.reason).length > 0 &&
		row.name === undefined
	);
}

interface Asked {
	value: string;
	rows: Fields[];
	result: Result;
	/** Place of the result among those of its job. */
	index: number;
}

type Judge = (expected: ReturnType<typeof rowItem>, row: Fields) => string | undefined;

function problemWithAsked(service: GeneratedService, asked: Asked, judge: Judge): string | undefined {
	const { value, rows, result, index } = asked;
	const [row] = rows;
	if (!row || rows.length > 1) return `${rows.length} rows for "${value}"`;
	const { has, holds } = rowItem(service, { id: '' }, result, index);
	const { success, found } = has;
	const problem = judge({ has: { ...('success' in has ? { success } : {}), found }, holds }, row);
	if (problem === undefined) return undefined;
	if (!isHonest(row)) return `the row of "${value}": ${problem}`;
	if (UNANSWERED.test(String(row.reason)))
		return `the row of "${value}" says in vain: ${String(row.reason)}`;
	return isTold(service, result, index)
		? `the row of "${value}" tells nothing though the service did`
		: undefined;
}

/** What is wrong with the rows of a collect, in a sentence; undefined when nothing is. */
export function problemWithCollected(
	{ asked }: Extract<Expected, { kind: 'collected' }>,
	observed: Observed,
	service: GeneratedService,
	judge: Judge,
): string | undefined {
	const results = observed.createdResults;
	const single = service.options.lookupValues === 'value';
	for (const [place, value] of asked.entries()) {
		const index = results.findIndex(({ query }) => query.value === value);
		const result = results[index];
		if (!result) return `the sandbox was never asked for "${value}"`;
		const rows = observed.items.filter((_, item) => observed.askers[item] === place);
		// A job for each value has its results by itself.
		const within = single ? 0 : index;
		const problem = problemWithAsked(service, { value, rows, result, index: within }, judge);
		if (problem !== undefined) return problem;
	}
	const said = JSON.stringify(observed.items) + observed.hints.join(' ');
	const dropped = results.find(
		({ query }) => !asked.includes(String(query.value)) && !said.includes(String(query.value)),
	);
	return dropped ? `the result of "${String(dropped.query.value)}" was dropped without a word` : undefined;
}
