import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { byName } from '../descriptions/common';
import { toolDescriptionField } from '../descriptions/tool';
import { cancel } from './job/cancel.operation';
import { collect } from './job/collect.operation';
import { create } from './job/create.operation';
import { download } from './job/download.operation';
import { get } from './job/get.operation';
import { getAll } from './job/getAll.operation';
import { wait } from './job/wait.operation';
import { convertParameters } from './migration/convertParameters.operation';
import { convertWorkflow } from './migration/convertWorkflow.operation';
import type { Operation } from './operation';
import { getMonth } from './usage/getMonth.operation';
import { getToday } from './usage/getToday.operation';

interface Resource {
	name: string;
	/** Whether its operations send requests to the service. */
	usesCredential: boolean;
	defaultOperation: string;
	/** By the names that workflows store. */
	operations: Readonly<Record<string, Operation>>;
}

/** Checks that the default is one of the resource's operations. */
function resource<O extends Resource['operations']>(
	traits: Resource & { operations: O; defaultOperation: keyof O },
): Resource {
	return traits;
}

/**
 * The only registry of operations. The editor's lists, the fields, the outputs, the credential's display
 * conditions and the router derive from it. Keys are the names that workflows store.
 */
export const RESOURCES: Readonly<Record<string, Resource>> = {
	job: resource({
		name: 'Job',
		usesCredential: true,
		defaultOperation: 'collect',
		operations: { cancel, collect, create, download, get, getAll, wait },
	}),
	migration: resource({
		name: 'Migration',
		usesCredential: false,
		defaultOperation: 'convertWorkflow',
		operations: { convertParameters, convertWorkflow },
	}),
	usage: resource({
		name: 'Usage',
		usesCredential: true,
		defaultOperation: 'getToday',
		operations: { getMonth, getToday },
	}),
};

/** The operation of a resource; undefined if it does not exist. */
export function operationOf(resource: string, operation: string): Operation | undefined {
	const operations = Object.hasOwn(RESOURCES, resource) ? RESOURCES[resource]?.operations : undefined;
	return operations !== undefined && Object.hasOwn(operations, operation)
		? operations[operation]
		: undefined;
}

export const RESOURCES_WITH_CREDENTIAL = Object.entries(RESOURCES).flatMap(([value, { usesCredential }]) =>
	usesCredential ? [value] : [],
);

/** The fields, shown for one operation only. Their own conditions are kept. */
function shownFor(
	resource: string,
	operation: string,
	fields: readonly INodeProperties[],
): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { resource: [resource], operation: [operation], ...field.displayOptions?.show },
		},
	}));
}

const OPERATION = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	default: '',
} as const;

/** Choices with the default first: n8n offers actions for a new node in this order. */
function withDefaultFirst<T extends { name: string; value: string }>(choices: T[], first: string): T[] {
	const isFirst = ({ value }: T) => value === first;
	return [...choices.filter(isFirst), ...byName(choices.filter((choice) => !isFirst(choice)))];
}

/** The list of a resource's operations, and the fields of each. */
function fieldsOf([resource, { defaultOperation, operations: own }]: [string, Resource]): INodeProperties[] {
	const operations = Object.entries(own);
	const choices = operations.map(([value, { name, action, description }]) => {
		return { name, value, action, description };
	});
	return [
		{
			...OPERATION,
			default: defaultOperation,
			displayOptions: { show: { resource: [resource] } },
			options: withDefaultFirst(choices, defaultOperation),
		},
		...operations.flatMap(([name, { fields }]) => shownFor(resource, name, fields)),
	];
}

/** The descriptions for agents, one per operation of a resource. */
function toolDescriptionsOf([value, { operations }]: [string, Resource]): INodeProperties[] {
	return Object.entries(operations).flatMap(([name, { toolDescription, description }]) =>
		shownFor(value, name, [toolDescriptionField(toolDescription ?? description)]),
	);
}

export const PROPERTIES: INodeProperties[] = [
	...Object.entries(RESOURCES).flatMap(toolDescriptionsOf),
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'job',
		options: byName(Object.entries(RESOURCES).map(([value, { name }]) => ({ name, value }))),
	},
	...Object.entries(RESOURCES).flatMap(fieldsOf),
];

/** Groups operations with several outputs by their outputs. */
function operationsByOutputs(): Map<string, Array<[resource: string, operation: string]>> {
	const found = new Map<string, Array<[string, string]>>();
	for (const [resource, { operations }] of Object.entries(RESOURCES)) {
		for (const [operation, { outputs }] of Object.entries(operations)) {
			if (outputs === undefined) continue;
			const list = outputs.map((name) => `{ type: "main", displayName: "${name}" }`).join(', ');
			found.set(list, [...(found.get(list) ?? []), [resource, operation]]);
		}
	}
	return found;
}

/** The node's outputs: one, or more for some operations. n8n evaluates this in the editor and per run. */
function outputsExpression(): INodeTypeDescription['outputs'] {
	const cases = [...operationsByOutputs()].map(([list, operations]) => {
		const names = JSON.stringify(operations.map(([, operation]) => operation)).replaceAll(',', ', ');
		const [[resource] = ['']] = operations;
		return `$parameter["resource"] === "${resource}" && ${names}.includes($parameter["operation"]) ? [${list}] : `;
	});
	return `={{ ${cases.join('')}[{ type: "main" }] }}`;
}

export const OUTPUTS = outputsExpression();
