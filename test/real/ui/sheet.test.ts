import { collect, requestsAbout, sandbox } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n } from '../e2e/harness/e2e';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

/** GTINs that no other test of this n8n asks for. */
const [KETTLE, SOLD_OUT, UNKNOWN] = ['4012345000016', '4012345000023', '4012345000030'];

/** A sheet that has columns with the names of the node's own columns. */
const SHEET = [
	{ sku: 'A-1', gtin: KETTLE, price: 45, reason: 'seasonal', found: 'shelf 4' },
	{ sku: 'A-2', gtin: SOLD_OUT, price: 12.5, reason: 'slow', found: 'shelf 5' },
	{ sku: 'A-3', gtin: UNKNOWN, price: 12.5, reason: 'new', found: 'shelf 6' },
	{ sku: 'A-4', gtin: '', price: 799, reason: 'gift', found: 'shelf 7' },
];

describe('the rows of a sheet', () => {
	let editor: Editor;
	const { name, ...one } = collect({ lookupKey: 'gtin', values: '' });

	beforeAll(async () => {
		const market = { [SOLD_OUT]: { name: 'Toaster', offers: [] }, [UNKNOWN]: null };
		await sandbox('POST', 'options', { market });
		editor = await Editor.open();
		const credentials = { priceCollectionApi: await createCredential() };
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), { ...one, name, credentials, position: [240, 0] }],
			connections: connect({ Start: [name] }),
			pinData: { Start: SHEET.map((json) => ({ json })) },
		});
		await editor.openWorkflow(id);
		await editor.openPanel(name);
		await editor.drag('gtin', 'values');
	});

	afterAll(async () => {
		await sandbox('POST', 'options', { market: {} });
		await editor?.close();
	});

	/** How many jobs were requested in all. */
	const creations = async () =>
		(await requestsAbout('/v2/jobs')).filter(({ method }) => method === 'POST').length;

	/** Edits the sheet's rows, as if the sheet had changed. */
	async function change(items: object[]): Promise<void> {
		await editor.closePanel();
		await editor.openPanel('Start');
		await editor.editOutput(items);
		await editor.closePanel();
		await editor.openPanel(name);
	}

	it('keep their own reason and found, with the answer first and the node’s reason of each row', async () => {
		await editor.run();
		await expectSoon(
			async () => await editor.cells('sku', 'reason', 'found', 'result_reason'),
			[
				['A-1', 'seasonal', 'shelf 4', 'null'],
				['A-2', 'slow', 'shelf 5', 'no offer has a price'],
				['A-3', 'new', 'shelf 6', 'not found'],
				['A-4', 'gift', 'shelf 7', 'not looked up: no GTIN in this row'],
			],
		);
		const own = Object.keys(SHEET[0] ?? {});
		const columns = await editor.columns();
		expect(columns.slice(0, own.length + 1)).toEqual([...own, 'best_price']);
		expect(columns.slice(-4)).toEqual(['result_reason', 'result_name', 'result_found', 'result_value']);
		const prices = (await editor.cells('best_price')).flat();
		expect(prices).toEqual([expect.stringMatching(/^[\d.]+$/), 'null', 'null', 'null']);
	});

	it('are not compared with a price of the test source where the best price is real', async () => {
		const answered = { gtin: KETTLE, best_price: 47, result_reason: 'test data' };
		await change([answered, { ...answered, result_reason: '' }]);
		await editor.paste('previousPrice', '{{ $json.best_price }}');
		await editor.run();
		const numbers = /^-?[\d.]+$/;
		const kinds = async () =>
			(await editor.cells('best_price', 'price_change', 'result_reason')).map((row) =>
				row.map((cell) => (numbers.test(cell) ? 'number' : cell)),
			);
		await expectSoon(kinds, [
			['number', 'null', 'null'],
			['number', 'number', 'null'],
		]);
		await editor.output
			.getByText(
				'In 1 row there is no change, because a price from the test source is not compared with a real one.',
			)
			.waitFor();
	});

	it('are not looked up, but refused, where an expression names a field that none has', async () => {
		const before = await creations();
		await change([{ sku: 'A-1', EAN: KETTLE }]);
		await editor.run();
		const message = editor.output.getByTestId('node-error-message');
		await message.getByText('{{ $json.gtin }} is undefined for every item', { exact: true }).waitFor();
		const advice =
			'The fields of the items are: sku, EAN. Nothing was sent. Correct the expression, or the heading in your sheet.';
		await editor.output.getByText(advice, { exact: true }).waitFor();
		expect(await creations()).toBe(before);
	});
});
