import type { ResultChoice } from '../../../../nodes/PriceCollection/output/fetch';
import { suspendedRunFormat } from '../../../../nodes/PriceCollection/run/stored/suspendedRun';

/** Every field of it, so that a new one cannot be forgotten here. */
const choice: Required<ResultChoice> = {
	output: 'results',
	format: 'json',
	simplify: true,
	includeNotFound: true,
	onFailedResult: 'include',
	contentList: 'offers',
	binaryPropertyName: 'data',
	fileName: 'prices.json',
	timeoutMs: 1000,
	bestPrice: { conditions: ['new'], currency: 'EUR', ignoreShops: ['mine'], includeShipping: false },
	fields: ['value', 'best_price'],
	priceFormat: 'number',
};

test('a suspended run keeps everything that the user chose about its results', () => {
	const run = { jobs: [], unsent: [], asked: [], errors: [], deadline: 0 };
	const stored = suspendedRunFormat.write({ marker: 'a', run, choice, intervalMs: 1 });
	const read = suspendedRunFormat.read(JSON.parse(JSON.stringify(stored)));
	expect(read).toMatchObject({ kind: 'read', value: { choice } });
});
