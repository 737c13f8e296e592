import { Editor } from './editor';

/** What people type to find prices. */
const WORDS = ['price', 'price comparison', 'shopping', 'competitor', 'offers', 'price monitoring'];

/** More words that people type, and the last place in the list where the node may be. */
const PLACES: Array<[words: string, place: number]> = [
	['amazon', 1],
	// The names of other nodes contain these letters.
	['scrape', 2],
	['EAN', 3],
];

const NODE = 'Price Collection';
const TRIGGER = 'Price Collection Trigger';
const COLLECT = 'Collect prices and product data';
const TOOL = 'Collect prices and product data in Price Collection';

describe('adding nodes to a new workflow', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open();
		await editor.openNewWorkflow();
		await editor.page.getByTestId('canvas-plus-button').click();
	});

	afterAll(async () => await editor?.close());

	it('finds the node by the words that people type', async () => {
		for (const words of WORDS) {
			await editor.search(words);
			await editor.found(NODE).waitFor();
			await editor.search('');
			await editor.found(NODE).waitFor({ state: 'detached' });
		}
		await editor.search('price');
		const text = 'Look up prices, offers, search hits, reviews and bestsellers of products';
		await editor.found(NODE).getByText(text).waitFor();
	});

	it.each(PLACES)('is found by "%s", at place %i or before', async (words, place) => {
		await editor.search('');
		await editor.found(NODE).waitFor({ state: 'detached' });
		await editor.search(words);
		await editor.found(NODE).waitFor();
		expect(await editor.placeOf(NODE)).toBeLessThan(place);
	});

	it('adds the trigger that the service calls', async () => {
		await editor.search('price');
		await editor.found(NODE).click();
		await editor.page.getByTestId('node-creator').getByText('On job finished').waitFor();
		await editor.chooseAction('On job finished');
		await editor.panel.getByText('Job Finished').waitFor();
		await editor.closePanel();
		await editor.node(TRIGGER).waitFor();
	});

	it('adds the node by its first action, with one output', async () => {
		await editor.plusOf(TRIGGER).click();
		await editor.search('price');
		await editor.found(NODE).click();
		await editor.page.getByTestId('node-creator').getByText(COLLECT, { exact: true }).waitFor();
		await editor.chooseAction(COLLECT);
		await editor.closePanel();
		await editor.plusOf(COLLECT).waitFor();
		expect(await editor.plusOf(COLLECT, 1).count()).toBe(0);
	});

	it('adds the node to an AI Agent as a tool, whose model fills in the values', async () => {
		await editor.plusOf(COLLECT).click();
		await editor.search('AI Agent');
		await editor.found('AI Agent').click();
		await editor.panel.waitFor();
		await editor.closePanel();
		await editor.showAll();
		await editor.toolPlusOf('AI Agent').click();
		await editor.search('price');
		await editor.found('Price Collection Tool').waitFor();
		await editor.found('Price Collection Tool').click();
		const values = editor.panel
			.getByTestId('parameter-item')
			.filter({ has: editor.page.locator('label[for="values"]') });
		await values.getByTestId('from-ai-override-button').click();
		await values.getByText('Defined automatically by the model').waitFor();
		await editor.closePanel();
		await editor.node(TOOL).waitFor();
	});
});
