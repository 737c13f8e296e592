import fc from 'fast-check';
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { PriceCollectionApi } from '../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { errorOf, errorText, runWorkflow, type Scenario } from '../engine/harness';
import { locator, TYPE } from '../engine/support';
import { connect, node } from '../engine/workflow';
import { runs } from '../runs';
import { expectTrue, type Held, type Row } from './oracle';
import { bare, useShop, type Day, type Outcome } from './shop';
import type { Cell } from './spreadsheet';

/** Where a workflow gets its rows and writes them back, through n8n's own node for it. */
export interface Place {
	/** The node's type and what n8n ships for it. */
	type: string;
	typeVersion: number;
	node: INodeType;
	/** The type of its OAuth2 credential. */
	credential?: string;
	/** What both of its nodes are told, and the one that reads. */
	where: INodeParameters;
	read: INodeParameters;
	emptyValues: 'emptyText' | 'null';
	/** Has nothing but these rows in it, in a new sheet or table. */
	fill(own: readonly Row[]): Filled;
}

interface Filled {
	held(): Held;
	dataTables?: Scenario['dataTables'];
}

/** A node as n8n ships it, from the installation of the end-to-end tests. */
export function nodeOfN8n(file: string, name: string): INodeType {
	const types = jest.requireActual<
		Record<string, new () => INodeType | { getNodeType(version?: number): INodeType }>
	>(`../n8n/node_modules/n8n-nodes-base/dist/nodes/${file}`);
	const Type = types[name];
	if (!Type) throw new Error(`n8n has no node ${name} in ${file}`);
	const made = new Type();
	return 'getNodeType' in made ? made.getNodeType() : made;
}

const shop = useShop();

/** The README's workflow: the rows, their prices, and back to the same rows. */
async function runDay(
	place: Place,
	dataTables: Scenario['dataTables'],
	write: INodeParameters,
	day: Day,
): Promise<void> {
	shop.day = day;
	const { type, typeVersion, credential = 'none' } = place;
	const rows = (name: string, parameters: INodeParameters) =>
		node(
			name,
			type,
			{ ...place.where, ...parameters },
			{ typeVersion, credentials: { [credential]: { id: '2', name: 'Rows' } } },
		);
	const run = await runWorkflow({
		nodeTypes: { [type]: place.node, [TYPE]: new PriceCollection() },
		nodes: [
			node('Every morning', 'n8n-nodes-base.manualTrigger'),
			rows('Get rows', place.read),
			node(
				'Prices',
				TYPE,
				{
					...{
						resource: 'job',
						operation: 'collect',
						topic: 'product_and_offers',
						lookupKey: 'gtin',
					},
					...{ source: locator('name', 'shop'), country: locator('code', 'de') },
					...{ values: '={{ $json.gtin }}', ownPrice: '={{ $json.price }}' },
					options: { emptyValues: place.emptyValues },
				},
				{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } } },
			),
			rows('Update rows', write),
		],
		connections: connect({
			'Every morning': ['Get rows'],
			'Get rows': ['Prices'],
			Prices: ['Update rows'],
		}),
		credentialTypes: {
			priceCollectionApi: new PriceCollectionApi(),
			[credential]: Object.assign(new PriceCollectionApi(), {
				name: credential,
				authenticate: undefined,
			}),
		},
		credentials: {
			priceCollectionApi: { baseUrl: shop.url, apiKey: 'THEKEYOFTHESHOP' },
			[credential]: {
				clientId: 'client',
				clientSecret: 'secret',
				accessTokenUrl: 'https://login.example/token',
				oauthTokenData: { access_token: 'token', token_type: 'Bearer' } as unknown as string,
			},
		},
		dataTables,
	});
	if (errorOf(run)) throw new Error(errorText(run));
}

/** GTINs with a right check digit, among them one whose zeros a sheet drops. */
const GTINS = ['4006381333931', '0012345678905', '9780201379624', '5012345678900', '40170725'];

/** As people have them in sheets: text or number, with and without zeros, twice, blank, mistyped. */
const gtinCell = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom(...GTINS.flatMap((gtin): Cell[] => [gtin, Number(gtin), bare(gtin)])),
	},
	{ weight: 1, arbitrary: fc.constantFrom<Cell>('', 'abc', '4006381333932') },
);
const money = fc.integer({ min: 100, max: 9_999 }).map((cents) => cents / 100);
const ownPrice = fc.oneof({ weight: 4, arbitrary: money }, { weight: 1, arbitrary: fc.constant<Cell>('') });
const product = fc.record({
	name: fc.constantFrom<Cell>('Pen', '', 'Kettle, red'),
	gtin: gtinCell,
	price: ownPrice,
});

/** The rows of a sheet, each with another SKU. */
export const products = fc
	.array(product, { minLength: 1, maxLength: 6 })
	.map((rows) => rows.map((cells, n) => ({ sku: `S${n}`, ...cells })));

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('price' as const),
			price: money,
			shipping: fc.option(money, { nil: undefined }),
			others: fc.array(money, { maxLength: 3 }),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.constantFrom<Outcome>({ kind: 'soldOut' }, { kind: 'notFound' }, { kind: 'failed' }),
	},
);
const day = fc
	.tuple(...GTINS.map(() => outcome))
	.map((outcomes): Day => new Map(GTINS.map((gtin, n) => [bare(gtin), outcomes[n] ?? { kind: 'failed' }])));

/** Runs the workflow on four generated days with generated rows, and looks at the place after each. */
export async function playDays(
	place: Place,
	write: INodeParameters,
	sheets: fc.Arbitrary<Row[]> = products,
): Promise<void> {
	const days = fc.array(day, { minLength: 4, maxLength: 4 });
	await fc.assert(
		fc.asyncProperty(sheets, days, async (own, all) => {
			const filled = place.fill(own);
			for (const today of all) {
				await runDay(place, filled.dataTables, write, today);
				expectTrue(filled.held(), own, today, place.emptyValues === 'null' ? null : '');
			}
		}),
		{ numRuns: runs(60) },
	);
}
