import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { newRecord, type JobRecord } from '../../../../nodes/PriceCollection/run/lookup/record';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/endpoints';
import { readLinks, storeLinks } from '../../../../nodes/PriceCollection/run/stored/jobLinks';

/** The context that all nodes of an execution share, and the hints that one of them gives. */
function execution(flow: IDataObject = {}) {
	const hints: unknown[] = [];
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getContext: (type: string) => {
			if (type !== 'flow') throw new Error(`This is what all nodes share, not that of a ${type}`);
			return flow;
		},
		addExecutionHints: (hint: unknown) => hints.push(hint),
	};
	return { context: context as unknown as IExecuteFunctions, flow, hints };
}

const requester = { item: 0, asks: [[0, 'kettle']] as Array<[number, string]> };
const aside = { item: 1, place: 0, error: { error: 'x' } };

test('the records of jobs are those that each node of the execution has stored, without what is of one look', () => {
	const { context, hints } = execution();
	const problem = { kind: 'jobNotFound', endpoint: ENDPOINTS.get, effect: 'none' } as const;
	const record: JobRecord = {
		...newRecord('a', [{ ...requester, at: 7 }]),
		...{ problem, trouble: problem, asides: [{ ...aside, at: 7 }] },
	};
	storeLinks(context, [record]);
	storeLinks(context, [newRecord('b', [requester])]);
	const links = readLinks(context);
	expect([...links.keys(), links.get('constructor')]).toEqual(['a', 'b', undefined]);
	expect(links.get('a')).toEqual({ ...newRecord('a', [requester]), asides: [aside] });
	expect(hints).toEqual([]);
});

test('nothing is written where there is nothing to add', () => {
	const { context, flow } = execution();
	storeLinks(context, []);
	expect([flow, readLinks(context)]).toEqual([{}, new Map()]);
});

test.each<[IDataObject, string]>([
	[{ version: 99 }, 'was written by a newer version of this package'],
	[{ version: 3, jobs: { a: { job: { job_id: 'a' } } } }, 'is damaged at jobs.a'],
])('what cannot be read is none, and a hint says what that means: %j', (stored, reason) => {
	const { context, hints } = execution({ priceCollectionJobs: stored });
	expect(readLinks(context).size).toBe(0);
	expect(hints).toEqual([
		{
			message: `The record of who asked for the jobs that still run ${reason}. Rows are linked to the Still Running items instead of to the items that asked.`,
			...{ type: 'warning', location: 'outputPane' },
		},
	]);
});
