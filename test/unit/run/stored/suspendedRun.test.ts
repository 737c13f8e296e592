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

const RUN = { jobs: [], unsent: [], asked: [], errors: [], deadline: 0 };
/** A suspended run as n8n's database gives it back. */
const stored = (more: Partial<ResultChoice>): unknown =>
	JSON.parse(
		JSON.stringify(
			suspendedRunFormat.write({
				...{ marker: 'a', run: RUN, intervalMs: 1 },
				choice: { ...choice, ...more },
			}),
		),
	);

test.each<Partial<ResultChoice>>([
	...(['entries', 'file', 'job', 'results', 'status'] as const).map((output) => ({ output })),
	...(['json', 'xml', 'csv', 'xlsx'] as const).map((format) => ({ format })),
	...(['error', 'include', 'skip'] as const).map((onFailedResult) => ({ onFailedResult })),
	...(['number', 'text'] as const).map((priceFormat) => ({ priceFormat })),
])('a suspended run with %j is read', (more) => {
	expect(suspendedRunFormat.read(stored(more))).toMatchObject({ kind: 'read', value: { choice: more } });
});

test('a suspended run with a choice that nobody knows is said to be damaged', () => {
	expect(suspendedRunFormat.read(stored({ output: 'poem' as 'job' }))).toEqual({
		kind: 'unreadable',
		reason: 'The suspended run is damaged at choice.output',
	});
});

test('a suspended run keeps everything that the user chose about its results', () => {
	const read = suspendedRunFormat.read(stored({}));
	expect(read).toMatchObject({ kind: 'read', value: { choice } });
});
