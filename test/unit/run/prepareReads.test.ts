import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { parameterReader } from '../../../nodes/PriceCollection/n8n/parameters';
import { readChoice } from '../../../nodes/PriceCollection/run/resultChoice';
import { readWaitSettings } from '../../../nodes/PriceCollection/run/waiting/settings';
import { prepare } from '../../../nodes/PriceCollection/run/prepare';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';

const ITEMS = 1000;
const EXPRESSION = '={{ $json.term.trim() }}';

/** How often each parameter is read by a run of `collect` over 1,000 items. */
async function readsOf(parameters: INodeParameters): Promise<Record<string, number>> {
	const reads: Record<string, number> = {};
	const context: Partial<IExecuteFunctions> = {
		continueOnFail: () => false,
		getInputData: () => Array.from({ length: ITEMS }, (_, index) => ({ json: { term: `t${index}` } })),
		getNode: () => ({
			id: '1',
			name: 'Prices',
			type: 'x.priceCollection',
			typeVersion: 1,
			position: [0, 0],
			parameters,
		}),
		getWorkflowSettings: () => ({}),
		getNodeParameter: ((name: string, index: number, fallback: unknown) => {
			reads[name] = (reads[name] ?? 0) + 1;
			const stored = parameters[name] ?? fallback;
			return stored === EXPRESSION ? `t${index}` : stored;
		}) as IExecuteFunctions['getNodeParameter'],
	};
	const self = context as IExecuteFunctions;
	const read = parameterReader.call(self);
	readChoice.call(self, read, 0);
	readWaitSettings.call(self, read);
	const dialect = { lookupValues: 'automatic', webhookUrlParameter: 'webhook_url' };
	const { plan } = await prepare.call(self, { dialect } as ServiceClient);
	expect(plan).toHaveLength(1);
	return reads;
}

describe('reading parameters', () => {
	it('evaluates the one expression for every item, and everything else a few times for all', async () => {
		const reads = await readsOf({
			topic: 'search',
			lookupKey: 'term',
			country: { __rl: true, mode: 'code', value: 'de' },
			values: EXPRESSION,
			options: { maxAge: 5 },
		});
		const { values, ...others } = reads;
		expect(values).toBe(ITEMS);
		// The results and the request read the options on their own.
		expect(others.options).toBe(2);
		for (const [name, count] of Object.entries({ ...others, options: 1 })) {
			expect(`${name} ${count}`).toBe(`${name} 1`);
		}
	});

	it('evaluates nothing for a plain field, which is the text or number that the item holds', async () => {
		const fields = { topic: 'search', lookupKey: 'term' };
		expect((await readsOf({ ...fields, values: '={{ $json.term }}' })).values).toBeUndefined();
		expect((await readsOf({ ...fields, values: '={{$json.term}}' })).values).toBeUndefined();
	});
});
