import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { CAN_LEAVE_RUNNING } from '../descriptions/waiting';
import { cancel } from './job/cancel.description';
import { collect } from './job/collect.description';
import { create } from './job/create.description';
import { download } from './job/download.description';
import { get } from './job/get.description';
import { getAll } from './job/getAll.description';
import { wait } from './job/wait.description';
import { convertParameters } from './migration/convertParameters.description';
import { convertWorkflow } from './migration/convertWorkflow.description';
import type { Operation } from './operation';
import { getMonth, getToday } from './usage/usage.description';

interface Resource {
	name: string;
	/** Keyed by the names that workflows store. n8n offers actions in this order, and the first is the default. */
	operations: Readonly<Record<string, Operation>>;
}

/**
 * The registry of operations, from which the editor's lists, the fields and the router derive. Keys are the names
 * that workflows store.
 */
export const RESOURCES: Readonly<Record<string, Resource>> = {
	job: {
		name: 'Job',
		operations: { collect, cancel, create, download, get, getAll, wait },
	},
	migration: {
		name: 'Migration',
		operations: { convertWorkflow, convertParameters },
	},
	usage: { name: 'Usage', operations: { getToday, getMonth } },
};

/** Returns an operation by resource and name; undefined if it does not exist. */
export function operationOf(resource: string, name: string): Operation | undefined {
	const { operations = {} } = RESOURCES[resource] ?? {};
	return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** Resources whose operations send requests to the service, and therefore need the credential. */
export const RESOURCES_WITH_CREDENTIAL = ['job', 'usage'];

/** Shows fields for one operation only, in addition to their existing conditions. */
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

/** Returns the Operation field of a resource and the fields of its operations. */
function resourceFields([resource, { operations: byName }]: [string, Resource]): INodeProperties[] {
	const operations = Object.entries(byName);
	const [[first] = ['']] = operations;
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			default: first,
			displayOptions: { show: { resource: [resource] } },
			options: operations.map(([value, { name, action, description }]) => {
				return { name, value, action, description };
			}),
		},
		...operations.flatMap(([name, { fields }]) => shownFor(resource, name, fields)),
	];
}

const TOOL_DESCRIPTION: INodeProperties = {
	displayName: 'Description',
	name: 'toolDescription',
	type: 'string',
	typeOptions: { rows: 6 },
	required: true,
	default: '',
	description:
		'What the agent reads about this tool: what it does, what to put in, what it costs. Add what is special about your use.',
	displayOptions: { show: { '@tool': [true] } },
};

/**
 * Returns the editable descriptions for agents, one per operation of a resource. Without them, n8n would add a
 * field of this name that contains only the action's name.
 */
function toolDescriptionsOf([resource, { operations }]: [string, Resource]): INodeProperties[] {
	return Object.entries(operations).flatMap(([name, { toolDescription, description }]) =>
		shownFor(resource, name, [{ ...TOOL_DESCRIPTION, default: toolDescription ?? description }]),
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
		options: Object.entries(RESOURCES).map(([value, { name }]) => ({ name, value })),
	},
	...Object.entries(RESOURCES).flatMap(resourceFields),
];

const ACTION_NAMES = Object.fromEntries(
	Object.values(RESOURCES).flatMap(({ operations }) =>
		Object.entries(operations).map(([value, { action }]) => [value, action]),
	),
);

/**
 * What the canvas shows below the node's name: source and country for Collect and Create, such as
 * "google_shopping · de", otherwise the action. Reads the stored values, because expressions have no value on the canvas.
 */
export const SUBTITLE = `={{ ((stored) => (["collect", "create"].includes(stored.operation) ? [stored.useTestSource === true ? "TEST SOURCE" : stored.source, stored.country].filter((text) => text && !String(text).startsWith("=")).join(" · ") : "") || (${JSON.stringify(ACTION_NAMES)})[stored.operation])($rawParameter) }}`;

/**
 * The node's outputs. Collect and Wait have a second one, Still Running, if a job can leave them while it is running.
 * n8n evaluates this expression in the editor and in every run.
 */
export const NODE_OUTPUTS: INodeTypeDescription['outputs'] = `={{ $parameter["resource"] === "job" && ["collect", "wait"].includes($parameter["operation"]) && (${CAN_LEAVE_RUNNING}) ? [{ type: "main", displayName: "Finished" }, { type: "main", displayName: "Still Running" }] : [{ type: "main" }] }}`;
