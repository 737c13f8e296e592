import type { INodeParameters } from 'n8n-workflow';

import { locator } from '../engine/support';
import { nodeOfN8n, playDays, type Place } from './days';
import { ANSWERS, heldIn } from './oracle';
import type { Cell } from './spreadsheet';
import { useWorkbook, Workbook } from './workbook';

const workbook = useWorkbook();

const EXCEL: Place = {
	type: 'n8n-nodes-base.microsoftExcel',
	typeVersion: 2.2,
	node: nodeOfN8n('Microsoft/Excel/MicrosoftExcel.node.js', 'MicrosoftExcel'),
	credential: 'microsoftExcelOAuth2Api',
	where: {
		resource: 'worksheet',
		workbook: locator('id', '01WORKBOOK'),
		worksheet: locator('id', '{00000000-0001-0000-0000-000000000000}'),
	},
	read: { operation: 'readRows' },
	emptyValues: 'emptyText',
	// n8n's node writes only to columns that are there.
	fill: (own) => {
		const rows = own.map((row) => Object.values(row) as Cell[]);
		workbook.current = new Workbook([[...Object.keys(own[0] ?? {}), ...ANSWERS], ...rows]);
		return { held: () => heldIn(workbook.current.cells) };
	},
};

const BY_SKU = { dataMode: 'autoMap', columnToMatchOn: 'sku' };
const WAYS: Array<[string, INodeParameters]> = [
	['Update', { operation: 'update', ...BY_SKU }],
	['Append or Update', { operation: 'upsert', ...BY_SKU }],
];

it.each(WAYS)(
	'a workbook holds the answers of today and nothing else, day after day: %s',
	async (_name, write) => await playDays(EXCEL, write),
);
