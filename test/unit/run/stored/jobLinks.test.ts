import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	linkReader,
	originOf,
	storeLinks,
	type JobLinks,
} from '../../../../nodes/PriceCollection/run/stored/jobLinks';

describe('the origin of a job', () => {
	it('holds the values of each asker that are in this job, as the asker spells them, and no callback URL', () => {
		const planned = {
			parameters: {
				topic: 'search',
				key: 'gtin',
				webhook_url: 'https://n8n.test/webhook-waiting/1?signature=x',
			},
			key: 'gtin',
			values: ['0001', '2'],
			items: [0, 3],
			group: 0,
		};
		const source = { previousNode: 'Items', previousNodeOutput: 0 };
		const asked = new Map([
			[0, ['1', '9']],
			[2, ['2']],
			[3, ['2', '0001']],
		]);
		expect(originOf({ planned, evidence: 'reply' }, asked, source, ['webhook_url'])).toEqual({
			source,
			parameters: { topic: 'search', key: 'gtin' },
			key: 'gtin',
			values: ['0001', '2'],
			asked: [
				{ item: 0, values: ['1'] },
				{ item: 3, values: ['2', '0001'] },
			],
			evidence: 'reply',
		});
	});

	const planned = { parameters: {}, key: 'gtin', values: ['0001', '2'], items: [0], group: 0 };
	const asked = new Map([[0, ['1', '9', '2']]]);

	it('holds nothing of an asker whose values are not known', () => {
		const origin = originOf(
			{ planned: { ...planned, items: [5] }, evidence: 'reply' },
			asked,
			undefined,
			[],
		);
		expect(origin.asked).toEqual([{ item: 5, values: [] }]);
		expect(origin).not.toHaveProperty('unsent');
	});

	it('holds values that were not sent at their place among those of this job', () => {
		const query = { value: 'x' };
		const unsent = [0, 1, 2, 3].map((place) => ({ item: 0, place, query, reason: 'bad' }));
		const strange = { item: 7, place: 1, query, reason: 'bad' };
		const origin = originOf({ planned, evidence: 'reply' }, asked, undefined, [], [...unsent, strange]);
		expect(origin.unsent?.map(({ place }) => place)).toEqual([0, 1, 1, 2, 0]);
		expect(origin.unsent?.[0]).toEqual({ item: 0, place: 0, query, reason: 'bad' });
	});
});

describe('the links of jobs', () => {
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
	const links = (job_id: string): JobLinks => ({ fields: { job_id, status: 'new' } });

	it('are those that each node of the execution has stored', () => {
		const { context, hints } = execution();
		storeLinks(context, { a: links('a') });
		storeLinks(context, { b: links('b') });
		const linksOf = linkReader(context);
		expect([linksOf('a'), linksOf('b'), linksOf('c'), linksOf('constructor')]).toEqual([
			...[links('a'), links('b'), undefined, undefined],
		]);
		expect(hints).toEqual([]);
	});

	it('are not written where there is nothing to add', () => {
		const { context, flow } = execution();
		storeLinks(context, {});
		expect(flow).toEqual({});
	});

	it('that cannot be read are none, and a hint says what that means', () => {
		const { context, hints } = execution({ priceCollectionJobs: { version: 99 } });
		expect(linkReader(context)('a')).toBeUndefined();
		expect(hints).toEqual([
			{
				message:
					'The record of who asked for the jobs that still run was written by a newer version of this package. Rows are linked to the Still Running items instead of to the items that asked.',
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});
});
