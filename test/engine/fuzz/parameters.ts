import fc from 'fast-check';
import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { anyJson } from './fuzz';

const { properties } = new PriceCollection().description;

/** The values of a field with a list of choices. */
function choicesOf({ options = [] }: INodeProperties): unknown[] {
	return options.flatMap((option) => ('value' in option ? [option.value] : []));
}

/** What people type, and what expressions make of the cells of a sheet. Expressions themselves are n8n's business. */
const anyValue = fc
	.oneof(
		fc.constantFrom<unknown>(
			...['', ' ', '4006381333931', 'lamp', 'j1', '0', 'a,b', 'a\nb', '12,50', 'x'.repeat(3_000)],
			...['{"a":1}', '[]', 0, -1, 1, 1.5, 1e9, NaN, Infinity, null, true, false, {}, [], [[]]],
		),
		anyJson,
	)
	.filter((value) => typeof value !== 'string' || !value.startsWith('='));

/** A value that fits a field, or any other. */
function valueFor(property: INodeProperties): fc.Arbitrary<unknown> {
	const fitting = fittingFor(property);
	// n8n itself fails on a null locator before it reaches the node.
	const other = property.type === 'resourceLocator' ? anyValue.filter((value) => value !== null) : anyValue;
	return fc.oneof({ arbitrary: fitting, weight: 4 }, { arbitrary: other, weight: 1 });
}

function fittingFor(property: INodeProperties): fc.Arbitrary<unknown> {
	switch (property.type) {
		case 'options':
			return fc.constantFrom(property.default, ...choicesOf(property));
		case 'multiOptions':
			return fc.subarray(choicesOf(property));
		case 'boolean':
			return fc.boolean();
		case 'number':
			return fc.oneof(fc.integer({ min: -2, max: 100 }), fc.constant(property.default));
		case 'resourceLocator':
			return fc.record({
				__rl: fc.constant(true),
				mode: fc.constantFrom(...(property.modes ?? []).map(({ name }) => name)),
				// Values that n8n itself cannot check, such as an object with its own toString, never reach a node.
				value: fc.oneof(
					fc.constantFrom<unknown>('google_shopping', 'de', 'j1', ''),
					anyValue.filter((value) => typeof value !== 'object'),
				),
			});
		case 'collection':
			return fieldsOf((property.options ?? []) as INodeProperties[]);
		case 'fixedCollection':
			return groupsOf(property);
		default:
			return fc.oneof(fc.constant(property.default), anyValue);
	}
}

/** Some fields of a collection. */
function fieldsOf(options: INodeProperties[]): fc.Arbitrary<Record<string, unknown>> {
	const values = Object.fromEntries(options.map((option) => [option.name, valueFor(option)]));
	return fc.record(values, { requiredKeys: [] });
}

function groupsOf({ options = [], typeOptions }: INodeProperties): fc.Arbitrary<Record<string, unknown>> {
	const groups = (options as INodePropertyCollection[]).map(({ name, values }) => {
		const group = fieldsOf(values);
		return [name, typeOptions?.multipleValues === true ? fc.array(group, { maxLength: 3 }) : group];
	});
	return fc.record(Object.fromEntries(groups) as Record<string, fc.Arbitrary<unknown>>, {
		requiredKeys: [],
	});
}

/** Whether a field belongs to an operation, whatever the others say: hidden fields keep their values. */
function belongsTo({ displayOptions }: INodeProperties, resource: string, operation: string): boolean {
	const { resource: resources, operation: operations } = displayOptions?.show ?? {};
	return resources?.includes(resource) === true && operations?.includes(operation) === true;
}

/** Every operation with its resource, as the node offers them. */
const OPERATIONS: ReadonlyArray<readonly [resource: string, operation: string]> = properties
	.filter(({ name }) => name === 'operation')
	.flatMap((property) => {
		const [resource] = property.displayOptions?.show?.resource ?? [];
		return choicesOf(property).map((operation) => [String(resource), String(operation)] as const);
	});

/** Any parameters of any operation: each field with a fitting value or with any other. */
export const anyParameters: fc.Arbitrary<INodeParameters> = fc
	.constantFrom(...OPERATIONS)
	.chain(([resource, operation]) => {
		const own = properties.filter((property) => belongsTo(property, resource, operation));
		const values = Object.fromEntries(own.map((property) => [property.name, valueFor(property)]));
		return fc
			.record(values, { requiredKeys: [] })
			.map((fields) => ({ ...fields, resource, operation }) as INodeParameters);
	});

/** Items as they come from sheets: cells of any kind. */
export const anyItems = fc.array(
	fc.dictionary(fc.constantFrom('value', 'gtin', 'name', 'job_id', '__proto__'), anyValue, { maxKeys: 4 }),
	{ minLength: 1, maxLength: 4 },
);
