import { isDeepStrictEqual } from 'node:util';

import { problemWithCollected } from './collected';
import type { Expected, ExpectedItem, ExpectedItems } from './expected';
import type { Known } from './jobs';
import { fieldNamed, leavesOf, missingLeaves } from './leaves';
import type { Fields, Observed, Operation } from './operations';
import type { GeneratedService } from './service';

/**
 * `right`: the right items. `clear`: a justified error or hint that says what is wrong. `needless`: a clear error
 * although the service sent all that is needed. `unclear`: an unhelpful error. `wrong`: silently wrong.
 */
export interface Verdict {
	kind: 'right' | 'clear' | 'needless' | 'unclear' | 'wrong';
	why: string;
}

const MISTAKE =
	/\bundefined\b|is not defined|is not a function|Cannot read|\[object Object\]|Unexpected token|NaN/;

/** How an error says that a job may exist. */
const DOUBT = /not known|unknown whether|may exist|may have|might/i;

const short = (value: unknown) => {
	const text = JSON.stringify(value) ?? 'nothing';
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

/** Compares two values, texts without the blanks around them. */
function sameField(expected: unknown, actual: unknown): boolean {
	if (isDeepStrictEqual(expected, actual)) return true;
	return typeof expected === 'string' && typeof actual === 'string' && expected.trim() === actual.trim();
}

type Problem = string | undefined;

/** A field by its documented name or, if it is passed on as it came, the service's name. */
function fieldIn(item: Fields, name: string, { options: { names } }: GeneratedService): unknown {
	const own: Record<string, string | undefined> = { job_id: names.jobId, status: names.status };
	return item[name] ?? fieldNamed(item, name) ?? fieldNamed(item, own[name] ?? name);
}

function problemWithItem(
	expected: ExpectedItem,
	item: Fields,
	service: GeneratedService,
	hints: string[],
): Problem {
	for (const [name, value] of Object.entries(expected.has)) {
		const actual = fieldIn(item, name, service);
		if (!sameField(value, actual)) return `${name} is ${short(actual)} in place of ${short(value)}`;
	}
	for (const [name, count] of Object.entries(expected.lists ?? {})) {
		const list = fieldIn(item, name, service);
		if (!Array.isArray(list) || list.length !== count)
			return `${name} is no list of ${count}: ${short(list)}`;
	}
	return lostLeaves(expected.holds, [item]) ?? expected.check?.(item, hints);
}

function lostLeaves(holds: string[], items: Fields[]): Problem {
	const lost = missingLeaves(holds, items.flatMap(leavesOf));
	return lost.length > 0 ? `lost ${lost.length} of ${holds.length} values: ${short(lost)}` : undefined;
}

/** Whether a row says why there is no result. */
export function saysWhy({ success, found, reason, best_price: price }: Fields): boolean {
	return success !== true && found !== true && leavesOf(reason).length > 0 && (price ?? null) === null;
}

function problemWithItems(
	expected: ExpectedItems,
	{ items, hints }: Observed,
	service: GeneratedService,
): Problem {
	const more = items.slice(expected.items.length);
	if (
		items.length < expected.items.length ||
		(more.length > 0 && !(expected.mayMissMore && more.every(saysWhy)))
	)
		return `${items.length} items in place of ${expected.items.length}`;
	const left = [...items];
	for (const wanted of expected.items) {
		const isIt = (item: Fields) => problemWithItem(wanted, item, service, hints) === undefined;
		const place = expected.isUnordered ? Math.max(0, left.findIndex(isIt)) : 0;
		const problem = problemWithItem(wanted, left[place] ?? {}, service, hints);
		if (problem !== undefined) return problem;
		left.splice(place, 1);
	}
	return undefined;
}

function problemWithResult(expected: Expected, observed: Observed, service: GeneratedService): Problem {
	switch (expected.kind) {
		case 'error':
			return `${observed.items.length} items where only an error is right: ${short(observed.items[0])}`;
		case 'items':
			return problemWithItems(expected, observed, service);
		case 'unserved':
			return observed.items.length > 0 && observed.items.every(saysWhy)
				? undefined
				: `items of a job without results: ${short(observed.items[0])}`;
		case 'sum':
			if (expected.count !== undefined && observed.items.length !== expected.count)
				return `${observed.items.length} rows in place of ${expected.count}`;
			return lostLeaves(expected.holds, observed.items);
		case 'collected':
			return problemWithCollected(expected, observed, service, (wanted, row) =>
				problemWithItem(wanted, row, service, observed.hints),
			);
		case 'file': {
			const [file] = observed.files;
			if (file && observed.files.length === 1 && expected.bodies.some((body) => body.equals(file)))
				return undefined;
			return `${observed.files.length} files, the first of ${file?.length ?? 0} bytes, in place of ${expected.bodies.map((body) => body.length).join(' or ')}`;
		}
	}
}

/** An error after a creation must name the job, or at least say that there may be one. */
function lostJob(error: NonNullable<Observed['error']>, { created }: Observed): string | undefined {
	const text = `${error.message} ${error.description}`;
	const told = created.some(({ job_id: id }) => text.includes(id)) || DOUBT.test(text);
	return created.length === 0 || told ? undefined : `says nothing of the job that was created: ${text}`;
}

/** What went wrong besides the items: jobs that were paid twice, are lost, or are not cancelled. */
function problemBehind(
	operation: Operation,
	expected: Expected,
	observed: Observed,
	service: GeneratedService,
	known: Known,
): string | undefined {
	const creates = 'creates' in expected ? (expected.creates ?? 0) : 0;
	if (observed.created.length > creates)
		return `${observed.created.length} jobs were created in place of ${creates}`;
	if (observed.error) return lostJob(observed.error, observed);
	if (observed.created.length < creates) return `only ${observed.created.length} jobs were created`;
	const ids = new Set(observed.created.map(({ job_id: id }) => id));
	const named = observed.items.map((item) => fieldIn(item, 'job_id', service));
	if (operation === 'create' && !named.every((id) => ids.has(String(id))))
		return `the items name ${short(named)} in place of ${short([...ids])}`;
	const target = observed.jobs.find(({ job_id: id }) => id === known.jobs[1]?.id);
	if (operation === 'cancel' && target?.state !== 'cancelled')
		return `the job is ${target?.status ?? 'gone'} in place of cancelled`;
	return undefined;
}

const namesIn = (expected: Expected) => (expected.kind === 'error' ? expected.naming : []);

function verdictOnError(expected: Expected, error: NonNullable<Observed['error']>): Verdict {
	const { message, description } = error;
	const text = `${message} ${description}`;
	const naming = namesIn(expected);
	if (message === '' || MISTAKE.test(text)) return { kind: 'unclear', why: text };
	const unnamed = naming.find((words) => !text.includes(words));
	if (unnamed !== undefined) return { kind: 'unclear', why: `does not say ${unnamed}: ${text}` };
	const isRight = ['error', 'unserved'].includes(expected.kind);
	const right = isRight || ('errorIsRight' in expected && expected.errorIsRight !== undefined);
	return { kind: right ? 'clear' : 'needless', why: text };
}

/** Compares what an operation produced with what is right for it. */
export function verdictOn(
	operation: Operation,
	service: GeneratedService,
	known: Known,
	expected: Expected,
	observed: Observed,
): Verdict {
	const behind = problemBehind(operation, expected, observed, service, known);
	if (behind !== undefined) return { kind: 'wrong', why: behind };
	if (observed.error) return verdictOnError(expected, observed.error);
	const problem = problemWithResult(expected, observed, service);
	if (problem === undefined) return { kind: 'right', why: '' };
	if (expected.kind === 'items') {
		const { unknowable } = expected;
		if (unknowable !== undefined && isPartOf(expected.items, observed, service))
			return { kind: 'clear', why: unknowable };
	}
	return { kind: 'wrong', why: problem };
}

/** Whether there are items, and each matches a different expected one. */
function isPartOf(expected: ExpectedItem[], { items, hints }: Observed, service: GeneratedService): boolean {
	const left = [...expected];
	return (
		items.every((item) => {
			const place = left.findIndex(
				(wanted) => problemWithItem(wanted, item, service, hints) === undefined,
			);
			return place !== -1 && left.splice(place, 1).length === 1;
		}) && items.length > 0
	);
}
