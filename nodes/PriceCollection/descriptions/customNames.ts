import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { READ_MEANINGS, type ReadMeaning } from '../service/fieldNames';
import { KEYS, PARAMETERS } from '../service/requestNames';
import { sortedBy } from './common';

/** The choices of Request Names: everything sent that the service may name differently, by its documented name. */
const REQUEST_MEANINGS = [
	...PARAMETERS.map((name) => ({ name, value: name })),
	...KEYS.map((name) => ({ name: `${name} (Key)`, value: name, description: 'As the value of key' })),
];

/** The choices of Field Names: everything read that the service may name differently. */
const READ_TEXTS: Readonly<Record<ReadMeaning, [name: string, description: string]>> = {
	price: ['Price', 'What the shopper pays, without shipping'],
	total: ['Total', 'The price with shipping'],
	shipping: ['Shipping', 'What shipping costs'],
	currency: ['Currency', 'A code such as EUR'],
	condition: ['Condition', 'Whether an offer is new or used'],
	shop: ['Shop', 'Who sells it'],
	availability: ['Availability', 'Whether it is in stock'],
	url: ['URL', 'The page of the offer or product'],
	name: ['Name', 'Of the product or hit'],
	offers: ['Offers (List)', 'Where the offers of a product are, such as product.offers'],
	hits: ['Hits (List)', 'Where the hits of a search are'],
	reviews: ['Reviews (List)', 'Where the reviews are'],
	ranks: ['Ranks (List)', 'Where the bestsellers are'],
	author: ['Author', 'Of a review'],
	date: ['Date', 'Of a review'],
	rating: ['Rating', 'Of a review'],
	text: ['Text', 'Of a review'],
	rank: ['Rank', 'Of a bestseller'],
};

interface NameFieldTexts {
	displayName: string;
	name: string;
	description: string;
	meanings: INodePropertyOptions[];
	meaningDescription: string;
	fields: Pick<INodeProperties, 'description' | 'placeholder'>;
	exampleLine: string;
}

/** Returns two credential fields for the service's names: a collection, and a text for dialogs that cannot edit one. */
function nameFields({
	displayName,
	name,
	description,
	meanings,
	meaningDescription,
	fields,
	exampleLine,
}: NameFieldTexts): INodeProperties[] {
	return [
		{
			displayName,
			name,
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Name',
			default: {},
			description,
			options: [
				{
					displayName: 'Name',
					name: 'names',
					values: [
						{
							displayName: 'Meaning',
							name: 'meaning',
							type: 'options',
							default: '',
							description: meaningDescription,
							options: sortedBy(meanings, (one) => one.name),
						},
						{
							displayName: 'Name at the Service',
							name: 'fields',
							type: 'string',
							default: '',
							...fields,
						},
					],
				},
			],
		},
		{
			displayName: `${displayName} as Text`,
			name: `${name}Text`,
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			placeholder: `e.g. ${exampleLine}`,
			description: `The same as text: one line each, such as ${exampleLine} (for pasting, and for n8n versions that do not show ${displayName})`,
		},
	];
}

/** The service's names for what the node sends. */
export const requestNamesFields = nameFields({
	displayName: 'Request Names',
	name: 'requestNames',
	description:
		"The service's names for the parameters of a new job, if they differ from the documented ones",
	meanings: REQUEST_MEANINGS,
	meaningDescription: 'The documented name of a parameter or of a value of key',
	fields: {
		placeholder: 'e.g. ean',
		description: "The service's name for it. If empty, the parameter is not sent.",
	},
	exampleLine: 'gtin: ean',
});

/** The service's names for what the node reads. */
export const fieldNamesFields = nameFields({
	displayName: 'Field Names',
	name: 'fieldNames',
	description:
		'What the service calls prices, shops, offers and so on, if rows lack them. To see the names, set Output of Collect to Field Report.',
	meanings: READ_MEANINGS.map((value) => ({
		name: READ_TEXTS[value][0],
		value,
		description: READ_TEXTS[value][1],
	})),
	meaningDescription: 'What the field holds',
	fields: {
		placeholder: 'e.g. price.current, amount',
		description:
			'One or more names, comma-separated; the first filled one counts. Dots lead into objects and lists, such as seller.name or product.offers. Several lists are joined.',
	},
	exampleLine: 'price: price.current, amount',
});
