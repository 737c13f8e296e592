import { originOf } from '../../../../nodes/PriceCollection/run/stored/jobLinks';

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
});
