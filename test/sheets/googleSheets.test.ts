import type { INodeParameters } from 'n8n-workflow';

import { locator } from '../engine/support';
import { nodeOfN8n, playDays, type Place } from './days';
import { heldIn } from './oracle';
import { Spreadsheet, useSpreadsheet, type Cell } from './spreadsheet';

const sheet = useSpreadsheet();

const GOOGLE_SHEETS: Place = {
	type: 'n8n-nodes-base.googleSheets',
	typeVersion: 4.7,
	node: nodeOfN8n('Google/Sheet/GoogleSheets.node.js', 'GoogleSheets'),
	credential: 'googleSheetsOAuth2Api',
	where: {
		authentication: 'oAuth2',
		resource: 'sheet',
		documentId: locator('id', 'spreadsheet'),
		sheetName: locator('name', 'Products'),
		options: {},
	},
	read: { operation: 'read' },
	emptyValues: 'emptyText',
	fill: (own) => {
		const rows = own.map((row) => Object.values(row) as Cell[]);
		sheet.current = new Spreadsheet([Object.keys(own[0] ?? {}), ...rows]);
		return { held: () => heldIn(sheet.current.cells) };
	},
};

const columns = (matchingColumns: string[]) => ({
	...{ mappingMode: 'autoMapInputData', value: null, schema: [], matchingColumns },
});
const WAYS: Array<[string, INodeParameters]> = [
	['Update Row', { operation: 'update', columns: columns(['row_number']) }],
	['Append or Update Row', { operation: 'appendOrUpdate', columns: columns(['sku']) }],
];

it.each(WAYS)(
	'a sheet holds the answers of today and nothing else, day after day: %s',
	async (_name, write) => await playDays(GOOGLE_SHEETS, write),
);
