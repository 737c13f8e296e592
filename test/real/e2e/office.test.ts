import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { connect, node } from '../../engine/support/workflow';
import { locator } from './harness/collecting';
import type { CredentialReference } from './harness/e2e';
import { runWorkflow, waitForOutcome } from './harness/e2e';
import { click, office, officeCredentials } from './harness/office';

/**
 * n8n's own nodes for Google Sheets, Slack, Gmail and WooCommerce work with the office, which the examples' tests rely
 * on. Nothing in n8n is replaced: a preload sends the requests of its process to the office's server.
 */

let credentials: Record<string, CredentialReference>;
beforeAll(async () => {
	credentials = await officeCredentials();
});

/** One of n8n's own nodes, with the credential that it needs. */
function own(
	type: string,
	typeVersion: number,
	name: string,
	parameters: INodeParameters,
	needs = '',
): INode {
	const credential = credentials[needs];
	const more = { typeVersion, ...(credential && { credentials: { [needs]: credential } }) };
	return node(name, `n8n-nodes-base.${type}`, { options: {}, ...parameters }, more);
}

function sheets(name: string, tab: string, operation: string, more: INodeParameters = {}): INode {
	const where = { documentId: locator('id', 'shop'), sheetName: locator('name', tab) };
	return own('googleSheets', 4.7, name, { operation, ...where, ...more }, 'googleSheetsOAuth2Api');
}

/** Writes each field of an item to the column of its name, in the row with the same values in these columns. */
const byColumn = (...matchingColumns: string[]): INodeParameters => ({
	columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns, schema: [] },
});

function slack(name: string, channel: string, parameters: INodeParameters): INode {
	const where = { select: 'channel', channelId: locator('name', channel) };
	return own('slack', 2.7, name, { ...where, otherOptions: {}, ...parameters }, 'slackApi');
}

function gmail(name: string, parameters: INodeParameters, options: INodeParameters = {}): INode {
	const all = { ...parameters, options: { appendAttribution: false, ...options } };
	return own('gmail', 2.2, name, all, 'gmailOAuth2');
}

const shop = (name: string, operation: string, parameters: INodeParameters): INode =>
	own('wooCommerce', 1, name, { resource: 'product', operation, ...parameters }, 'wooCommerceApi');

const fields = (name: string, jsonOutput: string, includeOtherFields: boolean): INode =>
	own('set', 3.4, name, { mode: 'raw', jsonOutput, includeOtherFields });

const KETTLE = { id: 7, name: 'Kettle', sku: 'A-100', regular_price: '45.00' };
const MUG = { id: 8, name: 'Mug', sku: 'A-101', regular_price: '13.00' };

test('rows go from a sheet to sheets, to Slack and to Gmail, and a price to the shop once somebody has approved', async () => {
	const header = ['sku', 'price', 'note', 'best_price'];
	const short = ['sku', 'best_price'];
	await office({
		documents: {
			shop: {
				Products: [header, ['A-100', '45,00 €', '', 41], ['A-101', 13, 'fragile']],
				Log: [],
				Latest: [short, ['A-101', 13]],
			},
		},
		channels: { prices: [], buying: [] },
		mails: [],
		products: [KETTLE, MUG],
	});
	const ask = { operation: 'sendAndWait', message: '=Lower the price to {{ $json.best_price }}?' };
	const nodes = [
		sheets('Get rows', 'Products', 'read'),
		fields('Prices', '={{ { best_price: $json.row_number + 9.5, shop: "Müller & Söhne" } }}', true),
		sheets('Update row', 'Products', 'update', byColumn('row_number')),
		fields('Short', '={{ { sku: $json.sku, best_price: $json.best_price } }}', false),
		sheets('Append row', 'Log', 'append', byColumn()),
		sheets('Append or update row', 'Latest', 'appendOrUpdate', byColumn('sku')),
		slack('Message', '#prices', {
			text: '={{ $json.sku }}: {{ $json.best_price }}',
			otherOptions: { includeLinkToWorkflow: false },
		}),
		gmail('Mail', {
			sendTo: 'owner@shop.example',
			subject:
				'={{ $json.sku }}: günstiger bei „{{ $json.shop }}“, jetzt für nur noch {{ $json.best_price }} €',
			message: '=<p style="color: green">{{ $json.shop }}: {{ $json.best_price }} €</p>',
		}),
		// n8n runs the lowest branch last.
		{ ...slack('Ask', 'CBUYING', ask), position: [0, 100] } satisfies INode,
		shop('Find', 'getAll', { returnAll: true, options: { sku: 'A-100' } }),
		shop('Lower', 'update', {
			productId: '={{ $json.id }}',
			updateFields: { regularPrice: "={{ $('Prices').first().json.best_price.toFixed(2) }}" },
		}),
	];
	const wires = {
		Start: ['Get rows'],
		'Get rows': ['Prices'],
		Prices: [['Update row', 'Short', 'Message', 'Mail', 'Ask']],
		Short: [['Append row', 'Append or update row']],
		Ask: ['Find'],
		Find: ['Lower'],
	};
	const asked = await runWorkflow(nodes, connect(wires), { until: ['waiting'] });
	const { documents, channels, mails, products } = await office();
	expect(documents.shop).toEqual({
		Products: [
			[...header, 'shop'],
			['A-100', '45,00 €', '', 11.5, 'Müller & Söhne'],
			['A-101', 13, 'fragile', 12.5, 'Müller & Söhne'],
		],
		Log: [short, ['A-100', 11.5], ['A-101', 12.5]],
		Latest: [short, ['A-101', 12.5], ['A-100', 11.5]],
	});
	expect(channels.prices).toEqual([
		{ ts: '1.000000', text: 'A-100: 11.5' },
		{ ts: '2.000000', text: 'A-101: 12.5' },
	]);
	const mailAbout = (sku: string, price: string) => ({
		to: 'owner@shop.example',
		subject: `${sku}: günstiger bei „Müller & Söhne“, jetzt für nur noch ${price} €`,
		html: `<p style="color: green">Müller & Söhne: ${price} €</p>`,
		attachments: [],
	});
	expect(mails).toEqual([mailAbout('A-100', '11.5'), mailAbout('A-101', '12.5')]);
	expect(channels.buying?.[0]?.blocks).toMatchObject([
		{ type: 'divider' },
		{ text: { text: 'Lower the price to 11.5?' } },
		{ type: 'section' },
		{ type: 'divider' },
		{ elements: [{ type: 'button', text: { text: 'Approve' } }] },
	]);
	expect(channels.buying).toHaveLength(1);
	expect(products).toEqual([KETTLE, MUG]);

	await click(channels.buying?.[0], 'Approve');
	expect((await waitForOutcome(asked)).error).toBeUndefined();
	expect((await office()).products).toEqual([{ ...KETTLE, regular_price: '11.50' }, MUG]);
});

test('a sheet is cleared below its header, and filled again', async () => {
	await office({
		documents: {
			shop: {
				Log: [
					['sku', 'price'],
					['old', 1],
					['older', 2],
				],
			},
		},
	});
	const input = [{ sku: '0815', price: "'007" }, { sku: 'new' }];
	const nodes = [
		sheets('Clear', 'Log', 'clear', { clear: 'wholeSheet', keepFirstRow: true }),
		sheets('Append', 'Log', 'append', { ...byColumn(), options: { useAppend: true } }),
	];
	const { error } = await runWorkflow(nodes, connect({ Start: ['Clear'], Clear: ['Append'] }), { input });
	expect(error).toBeUndefined();
	expect((await office()).documents.shop).toEqual({ Log: [['sku', 'price'], [815, '007'], ['new']] });
});

test('a mail brings its copies, its text and its files', async () => {
	await office({ mails: [] });
	const file = { operation: 'csv', options: { fileName: 'prices.csv' } };
	const copies = {
		ccList: 'Jörg <joerg@shop.example>',
		bccList: 'boss@shop.example',
		senderName: 'Der Einkauf',
	};
	const files = { attachmentsUi: { attachmentsBinary: [{ property: 'data' }] } };
	const mail = {
		sendTo: 'a@shop.example, b@shop.example',
		subject: 'Prices',
		emailType: 'text',
		message: 'Grüße\n=)',
	};
	const nodes = [own('convertToFile', 1.1, 'File', file), gmail('Mail', mail, { ...copies, ...files })];
	const wires = { Start: ['File'], File: ['Mail'] };
	const { error } = await runWorkflow(nodes, connect(wires), { input: [{ sku: 'A-100', shop: 'Müller' }] });
	expect(error).toBeUndefined();
	const content = Buffer.from('\uFEFFsku,shop\nA-100,Müller').toString('base64');
	expect((await office()).mails).toEqual([
		{
			from: 'Der Einkauf <office@shop.example>',
			to: 'a@shop.example, b@shop.example',
			cc: 'Jörg <joerg@shop.example>',
			bcc: 'boss@shop.example',
			subject: 'Prices',
			text: 'Grüße\n=)',
			attachments: [{ name: 'prices.csv', content }],
		},
	]);
});

test.each([
	[
		'a price that is a number',
		() => shop('Tried', 'update', { productId: '7', updateFields: { regularPrice: '={{ 11.5 }}' } }),
		['Bad request - please check your parameters', 'Invalid parameter(s): regular_price'],
	],
	[
		'a channel that does not exist',
		() => slack('Tried', '#nowhere', { text: 'hi' }),
		['Slack error response: "channel_not_found"', undefined],
	],
	[
		'a column beyond the last one of a sheet',
		() => sheets('Tried', 'Wide', 'append', byColumn()),
		['Bad request - please check your parameters', 'Range (AA1) exceeds grid limits. Max columns: 26'],
	],
	[
		'a request that the office does not know',
		() => shop('Tried', 'delete', { productId: '7' }),
		[
			'The service failed to process your request',
			'DELETE shop.example/wp-json/wc/v3/products/7?force=true is not part of the office',
		],
	],
])('%s is refused', async (_what, tried, expected) => {
	const Wide = [Array.from({ length: 26 }, (_, column) => `column ${column}`)];
	await office({ documents: { shop: { Wide } }, products: [KETTLE], channels: {} });
	const input = [{ 'one more': 1 }];
	const { error } = await runWorkflow([tried()], connect({ Start: ['Tried'] }), { input });
	const { message, description } = error as unknown as IDataObject;
	expect([message, description]).toEqual(expected);
	const { documents, products } = await office();
	expect([documents, products]).toEqual([{ shop: { Wide } }, [KETTLE]]);
});
