import { locator } from '../../engine/support/common';
import { playDays } from './days';
import { playOnce } from './executeOnce';
import { columnsWith, heldIn } from './oracle';
import { ANY_NAMES, products, typedAgain } from './products';
import { useWorkbook, Workbook } from './workbook';
import { nodeOfN8n, type Place, type Way } from './workflow';

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
	// n8n's node only writes to columns that exist.
	addsColumns: false,
	fill: (own, answers) => {
		const columns = columnsWith(own.columns, answers);
		const rows = own.rows.map((row) => columns.map((column) => row[column] ?? ''));
		workbook.current = new Workbook([columns, ...rows]);
		return {
			held: () => heldIn(workbook.current.cells),
			rename: (heading, to) => {
				const [headings = []] = workbook.current.cells;
				headings[headings.indexOf(heading)] = to;
			},
		};
	},
};

const bySku = (operation: string): Way => ({
	write: ({ sku }) => ({ operation, dataMode: 'autoMap', columnToMatchOn: sku }),
	key: ({ sku }) => sku,
});
const WAYS: Array<[string, Way]> = [
	['Update', bySku('update')],
	['Append or Update', bySku('upsert')],
];

it.each(WAYS)(
	'a workbook holds the answers of today and nothing else, day after day: %s',
	async (_name, way) => await playDays(EXCEL, way, products(ANY_NAMES).map(typedAgain)),
);

it.each(WAYS)(
	'no row of a workbook is overwritten by a run with Execute Once: %s',
	async (_name, way) => await playOnce(EXCEL, way, products(ANY_NAMES, 2).map(typedAgain)),
);
