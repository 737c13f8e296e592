import { locator } from '../../engine/support/common';
import { playDays } from './days';
import { playOnce } from './executeOnce';
import { heldIn } from './oracle';
import { ANY_NAMES, products, typedAgain } from './products';
import { Spreadsheet, useSpreadsheet, type Cell } from './spreadsheet';
import { nodeOfN8n, type Place, type Way } from './workflow';

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
	addsColumns: true,
	fill: ({ columns, rows }) => {
		const cells = rows.map((row) => Object.values(row) as Cell[]);
		sheet.current = new Spreadsheet([[...columns], ...cells]);
		return {
			held: () => heldIn(sheet.current.cells),
			rename: (heading, to) => {
				const [headings = []] = sheet.current.cells;
				headings[headings.indexOf(heading)] = to;
			},
		};
	},
};

const columns = (matchingColumns: string[]) => ({
	...{ mappingMode: 'autoMapInputData', value: null, schema: [], matchingColumns },
});
const UPDATE: Way = {
	write: () => ({ operation: 'update', columns: columns(['row_number']) }),
	key: () => 'row_number',
};
const APPEND_OR_UPDATE: Way = {
	write: ({ sku }) => ({ operation: 'appendOrUpdate', columns: columns([sku]) }),
	key: ({ sku }) => sku,
};
const WAYS: Array<[string, Way]> = [
	['Update Row', UPDATE],
	['Append or Update Row', APPEND_OR_UPDATE],
];

it.each(WAYS)(
	'a sheet holds the answers of today and nothing else, day after day: %s',
	async (_name, way) => await playDays(GOOGLE_SHEETS, way, products(ANY_NAMES).map(typedAgain)),
);

it.each(WAYS)(
	'no row of a sheet is overwritten by a run with Execute Once: %s',
	async (_name, way) => await playOnce(GOOGLE_SHEETS, way, products(ANY_NAMES, 2).map(typedAgain)),
);
