import type { INodeParameters, INodeType, IRun } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { runWorkflow, type Scenario } from '../../engine/support/harness';
import { locator, TYPE } from '../../engine/support/common';
import { connect, node } from '../../engine/support/workflow';
import type { Held } from './oracle';
import type { Headings, Products } from './products';
import { useShop } from './shop';

/** Where a workflow gets its rows and writes them back, through n8n's own node for it. */
export interface Place {
	/** The node's type and what n8n ships for it. */
	type: string;
	typeVersion: number;
	node: INodeType;
	/** The type of its OAuth2 credential. */
	credential?: string;
	/** Parameters for both of its nodes, and for the one that reads. */
	where: INodeParameters;
	read: INodeParameters;
	emptyValues: 'emptyText' | 'null';
	/** Whether the first run adds the columns of the answers. Otherwise they must exist before. */
	addsColumns: boolean;
	/** Creates a sheet or table with only these rows. */
	fill(rows: Products, answers: readonly string[]): Filled;
}

/** A place with rows in it. */
export interface Filled {
	held(): Held;
	rename(heading: string, to: string): void;
	dataTables?: Scenario['dataTables'];
}

/** How rows are written back: the parameters of n8n's node, and the column by which it finds a row. */
export interface Way {
	write(headings: Headings): INodeParameters;
	key(headings: Headings): string;
}

/** What differs between the workflows, and from run to run of one. */
export interface Settings {
	isTest: boolean;
	hasPrevious: boolean;
	/** Whether the values are those of all rows, with Execute Once. */
	isOnce: boolean;
}

/** A node as n8n ships it, from the installation of the end-to-end tests. */
export function nodeOfN8n(file: string, name: string): INodeType {
	const types = jest.requireActual<
		Record<string, new () => INodeType | { getNodeType(version?: number): INodeType }>
	>(`../../install/n8n/node_modules/n8n-nodes-base/dist/nodes/${file}`);
	const Type = types[name];
	if (!Type) throw new Error(`n8n has no node ${name} in ${file}`);
	const made = new Type();
	return 'getNodeType' in made ? made.getNodeType() : made;
}

export const shop = useShop();

/** A column of an item as n8n's editor writes it into an expression. */
export const fieldOf = (item: string, heading: string) =>
	/^[a-z_]\w*$/i.test(heading) ? `${item}.${heading}` : `${item}[${JSON.stringify(heading)}]`;

function parametersOf(place: Place, way: Way, rows: Products, settings: Settings): INodeParameters {
	const { headings, picked } = rows;
	const key = way.key(headings);
	const all = `{{ $('Get rows').all().map(i => ${fieldOf('i.json', headings.gtin)}) }}`;
	return {
		...{ resource: 'job', operation: 'collect', topic: 'product_and_offers', lookupKey: 'gtin' },
		...{ source: locator('name', 'shop'), country: locator('code', 'de') },
		useTestSource: settings.isTest,
		values: `=${settings.isOnce ? all : `{{ ${fieldOf('$json', headings.gtin)} }}`}`,
		ownPrice: `={{ ${fieldOf('$json', headings.price)} }}`,
		...(settings.hasPrevious && { previousPrice: '={{ $json.best_price }}' }),
		options: {
			emptyValues: place.emptyValues,
			...(picked !== null && { inputFields: [...new Set([key, ...picked])] }),
		},
	};
}

/** The README's workflow: the rows, their prices, and back to the same rows. */
export async function runDay(
	place: Place,
	way: Way,
	rows: Products,
	settings: Settings,
	dataTables: Scenario['dataTables'],
): Promise<IRun> {
	const { type, typeVersion, credential = 'none' } = place;
	const ofPlace = (name: string, parameters: INodeParameters) =>
		node(
			name,
			type,
			{ ...place.where, ...parameters },
			{ typeVersion, credentials: { [credential]: { id: '2', name: 'Rows' } } },
		);
	return await runWorkflow({
		nodeTypes: { [type]: place.node, [TYPE]: new PriceCollection() },
		nodes: [
			node('Every morning', 'n8n-nodes-base.manualTrigger'),
			ofPlace('Get rows', place.read),
			node('Prices', TYPE, parametersOf(place, way, rows, settings), {
				credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } },
				executeOnce: settings.isOnce,
			}),
			ofPlace('Update rows', way.write(rows.headings)),
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
}
