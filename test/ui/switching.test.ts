import { collect } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n } from '../e2e/harness/e2e';
import { connect, node } from '../engine/workflow';
import { Editor, expectSoon } from './editor';

/** A row of a sheet, with the price that its owner asks. */
const ROW = { gtin: '4006381333931', price: 45 };

describe('changing one’s mind in the panel', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		const { name, ...one } = collect({
			lookupKey: 'gtin',
			values: '',
		});
		const credentials = { priceCollectionApi: await createCredential() };
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), { ...one, name, credentials }],
			connections: connect({ Start: [name] }),
			pinData: { Start: [{ json: ROW }] },
		});
		await editor.openWorkflow(id);
		await editor.openPanel(name);
		await editor.paste('values', '{{ $json.gtin }}');
	});

	afterAll(async () => await editor?.close());

	it('keeps the own price of somebody who looks at the offers in between', async () => {
		await editor.paste('ownPrice', '{{ $json.price }}');
		await editor.choose('output', 'One Row per Offer, Hit or Review');
		await editor.choose('output', 'One Row per Product');
		await editor.run();
		await expectSoon(
			async () => (await editor.columns()).filter((name) => /^(own|price)_/.test(name)),
			['own_price', 'price_gap', 'price_gap_percent', 'price_rank'],
		);
	});

	it('says that GTINs were looked up as IDs where the topic has changed', async () => {
		await editor.choose('topic', 'Reviews');
		await editor.run();
		const hint =
			'Look Up By is ID, but the values are GTINs, such as "4006381333931". If that is not meant, set Look Up By to GTIN.';
		await editor.output.getByText(hint).waitFor();
	});
});
