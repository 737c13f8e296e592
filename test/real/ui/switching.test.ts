import type { IDataObject, INode } from 'n8n-workflow';

import { collect, locator } from '../e2e/harness/collecting';
import { createCredential, MANUAL_TRIGGER, n8n } from '../e2e/harness/e2e';
import { connect, node } from '../../engine/support/workflow';
import { Editor, expectSoon } from './editor';

/** A row of a sheet, with its owner's price and yesterday's best price. */
const ROW = { row_number: 2, gtin: '4006381333931', price: 45, best_price: 44 };

const PER_OFFER = 'One Row per Offer, Hit or Review';

/** The user's input, as workflows store it. */
const TYPED = {
	ownPrice: '={{ $json.price }}',
	output: 'entries',
	options: { inputFields: ['row_number'], emptyValues: 'emptyText' },
	previousPrice: '={{ $json.best_price }}',
	source: { mode: 'name', value: 'google_shopping' },
};

describe('changing one’s mind in the panel', () => {
	let editor: Editor;
	let workflowId: string;
	const { name, ...one } = collect({
		...{ lookupKey: 'gtin', values: '' },
		source: locator('name', ''),
	});

	beforeAll(async () => {
		editor = await Editor.open();
		const credentials = { priceCollectionApi: await createCredential() };
		const { id } = await n8n().createWorkflow({
			nodes: [node('Start', MANUAL_TRIGGER), { ...one, name, credentials }],
			connections: connect({ Start: [name] }),
			pinData: { Start: [{ json: ROW }] },
		});
		workflowId = id;
		await editor.openWorkflow(id);
		await editor.openPanel(name);
		await editor.paste('values', '{{ $json.gtin }}');
	});

	afterAll(async () => await editor?.close());

	/** What the panel shows of what was typed. */
	async function shown() {
		const text = async (field: string) =>
			(await editor.parameter(field).locator('.cm-content').innerText()).trim();
		const choice = async (field: string) =>
			await editor.parameter(field).getByRole('combobox').first().inputValue();
		return {
			source: await editor
				.parameter('source')
				.getByTestId('rlc-input-container')
				.locator('input')
				.inputValue(),
			ownPrice: await text('ownPrice'),
			previousPrice: await text('previousPrice'),
			output: await choice('output'),
			inputField: await editor.parameter('inputFields').locator('input').first().inputValue(),
			emptyValues: await choice('emptyValues'),
		};
	}

	const ALL = {
		source: 'google_shopping',
		ownPrice: '{{ $json.price }}',
		previousPrice: '{{ $json.best_price }}',
		output: PER_OFFER,
		inputField: 'row_number',
		emptyValues: 'Empty Text',
	};

	const flipTestSource = async () => await editor.parameter('useTestSource').locator('.el-switch').click();

	it('shows each field once', async () => {
		const twice = async () => {
			const fields = await editor.fields();
			return fields.filter((field, place) => fields.indexOf(field) !== place);
		};
		for (const topic of ['Bestsellers', 'Custom', 'Product and Offers']) {
			await editor.choose('topic', topic);
			for (const output of ['Status', 'One Row per Product', 'Automatic']) {
				await editor.choose('output', output);
				await expectSoon(twice, []);
			}
		}
	});

	it('keeps what was typed by somebody who looks at other topics, other outputs and the test source', async () => {
		await editor.paste('source', 'google_shopping');
		await editor.drag('price', 'ownPrice');
		await editor.paste('previousPrice', '{{ $json.best_price }}');
		await editor.choose('output', PER_OFFER);
		await editor.addOption('Add option', 'Input Fields');
		await editor.paste('inputFields', 'row_number');
		await editor.addOption('Add option', 'Empty Values');
		await editor.choose('emptyValues', 'Empty Text');
		await expectSoon(shown, ALL);

		for (const topic of ['Search', 'Reviews', 'Product and Offers']) {
			await editor.choose('topic', topic);
			await expectSoon(shown, ALL);
		}
		for (const output of ['File', 'Job With Results', PER_OFFER]) {
			await editor.choose('output', output);
			await expectSoon(shown, { ...ALL, output });
		}
		await flipTestSource();
		await expectSoon(shown, ALL);
		await flipTestSource();
		await expectSoon(shown, ALL);
	});

	it('keeps it in a workflow that is saved and opened again', async () => {
		await editor.page.keyboard.press('ControlOrMeta+s');
		const stored = async () => {
			const { nodes } = (await n8n().call('GET', `/rest/workflows/${workflowId}`)) as {
				nodes: INode[];
			};
			const parameters = nodes.find((saved) => saved.name === name)?.parameters ?? {};
			const source = parameters.source as IDataObject;
			const kept = Object.keys(TYPED).map((field) => [field, parameters[field]]);
			return {
				...(Object.fromEntries(kept) as IDataObject),
				// n8n puts blanks in front of an expression that is pasted.
				previousPrice: String(parameters.previousPrice).replace(/^= */, '='),
				source: { mode: source.mode, value: source.value },
			};
		};
		await expectSoon(stored, TYPED);
		await editor.openWorkflow(workflowId);
		await editor.openPanel(name);
		await expectSoon(shown, ALL);
	});

	it('says of a field that stays that it is not used now', async () => {
		const usual = editor.labelled('source').getByText('The shop or marketplace, such as amazon');
		const source = editor.labelled('source').getByText('Not used while Use Test Source is on');
		const columns = editor.labelled('columns').getByText('Only used for rows');
		// n8n shows no hint below an expression or a collection, so the label says it as well.
		const unused = ['Own Price', 'Previous Price', 'Columns', 'Price Options'].map((label) =>
			editor.panel.getByText(`${label} (Not Used)`, { exact: true }),
		);
		await usual.waitFor();
		await flipTestSource();
		await source.waitFor();
		await editor.choose('output', 'File');
		await columns.waitFor();
		for (const label of unused) await label.waitFor();
		await flipTestSource();
		await usual.waitFor();
		await editor.choose('output', PER_OFFER);
		await columns.waitFor({ state: 'detached' });
	});

	it('compares with the own price of somebody who looks at the offers in between', async () => {
		await editor.choose('output', PER_OFFER);
		await editor.choose('output', 'One Row per Product');
		await editor.run();
		await expectSoon(
			async () => (await editor.columns()).filter((column) => /^(own|price)_/.test(column)),
			['price_gap', 'price_gap_percent', 'price_rank', 'price_change', 'price_change_percent'],
		);
	});

	it('says that GTINs were looked up as IDs where the topic has changed', async () => {
		await editor.choose('topic', 'Reviews');
		await editor.run();
		const hint =
			'Look Up By is ID, but the values are GTINs, such as "4006381333931". If you did not intend this, set Look Up By to GTIN.';
		await editor.output.getByText(hint).waitFor();
	});
});
