'use strict';

const { NodeHelpers } = require('n8n-workflow');

const PREFIX = 'n8n-nodes-price-collection.';

/** Parameters whose every choice changes what else is shown. */
const VARIED = ['topic', 'waitMode', 'output', 'conversion', 'httpMethod'];

/** The parameters that the editor shows for `values`, all defaults filled in. */
function shown(description, values) {
	const node = {
		id: '1',
		name: 'Any',
		type: PREFIX + description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: values,
	};
	const { properties } = description;
	const filled = NodeHelpers.getNodeParameters(properties, values, true, false, node, description) ?? {};
	const visible = properties.filter((property) =>
		NodeHelpers.displayParameter(filled, property, node, description),
	);
	/** The entries of a collection that can be added to it. */
	const entriesOf = ({ options }) =>
		options.filter((option) => NodeHelpers.displayParameter({}, option, node, description, filled));
	return { filled, visible, entriesOf };
}

/** `values` with every entry of every visible collection added, so that the panel shows them all. */
function withAllOptions(description, values) {
	const { visible, entriesOf } = shown(description, values);
	const collections = visible.filter(({ type }) => type === 'collection');
	const added = collections.map((collection) => [
		collection.name,
		Object.fromEntries(entriesOf(collection).map((option) => [option.name, option.default])),
	]);
	return { ...values, ...Object.fromEntries(added) };
}

const choicesOf = (visible, name) =>
	visible.find((property) => property.name === name && property.type === 'options')?.options ?? [];

function operationsOf(description) {
	const { visible } = shown(description, {});
	return choicesOf(visible, 'resource').flatMap(({ value: resource }) =>
		choicesOf(shown(description, { resource }).visible, 'operation').map(({ value }) => ({
			resource,
			operation: value,
		})),
	);
}

/** One view per operation, and one more per choice that changes the panel. */
function viewsOf(description) {
	const operations = operationsOf(description);
	const starts = operations.length > 0 ? operations : [{}];
	return starts.flatMap((values) => {
		const name = [description.name, ...Object.values(values)].join('-');
		const { visible, filled } = shown(description, values);
		const variants = VARIED.flatMap((parameter) =>
			choicesOf(visible, parameter)
				.filter(({ value }) => value !== filled[parameter])
				.map(({ value }) => ({
					name: `${name}-${parameter}-${value}`,
					parameters: { ...values, [parameter]: value },
					isVariant: true,
				})),
		);
		return [{ name, parameters: values, isVariant: false }, ...variants];
	});
}

/**
 * Everything of a node that should be looked at in the editor.
 * @param {import('n8n-workflow').INodeTypeDescription} description
 * @returns {Array<{ name: string, type: string, isVariant: boolean, parameters: object }>}
 */
function allViews(description) {
	return viewsOf(description).map(({ name, parameters, isVariant }) => ({
		name,
		isVariant,
		type: PREFIX + description.name,
		parameters: withAllOptions(description, parameters),
	}));
}

module.exports = { allViews };
