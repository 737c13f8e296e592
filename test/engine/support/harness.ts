import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	InstanceSettings,
	WorkflowExecute,
} from 'n8n-core';
import { Expression, Workflow, createRunExecutionData } from 'n8n-workflow';
import type {
	DataTableProxyProvider,
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
	ITaskData,
	IRun,
	IRunExecutionData,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
	NodeExecutionHint,
	RelatedExecution,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { TestCredentials, type CredentialData, type CredentialTypes } from './credentials';

// Evaluates in process; n8n's default for production needs the native module isolated-vm.
Expression.setExpressionEngine('legacy');

export const EXECUTION_ID = '42';
const BASE_URL = 'http://localhost:5678';

/** A workflow and what it runs with. It starts at the first of its `nodes`. */
export interface Scenario {
	nodeTypes: Record<string, INodeType>;
	nodes: INode[];
	connections: IConnections;
	/** What the start node puts out: one item per entry. Default: one empty item. */
	input?: Array<IDataObject | INodeExecutionData>;
	mode?: WorkflowExecuteMode;
	/** Default: {@link EXECUTION_ID}. A retry by hand has another ID. */
	executionId?: string;
	/** When it begins, in milliseconds since 1970. Default: the system's time. */
	startsAt?: number;
	settings?: IWorkflowSettings;
	/** The execution that runs this workflow as a sub-workflow. */
	parentExecution?: RelatedExecution;
	credentialTypes?: CredentialTypes;
	credentials?: CredentialData;
	/** Static data of the workflow, changed in place by the nodes that write to it. */
	staticData?: IDataObject;
	/** The data tables that n8n's node finds. Default: none, as when n8n runs without them. */
	dataTables?: DataTableProxyProvider;
	/** Gets every message that a node sends to the editor and every status change, as `status:…` and `ui:type:json`. */
	messages?: string[];
}

/** A node type without parameters. By default, it passes its items on. */
export function nodeType(
	name: string,
	execute: INodeType['execute'] = async function () {
		return [this.getInputData()];
	},
	description: Partial<INodeTypeDescription> = {},
): INodeType {
	const named = { displayName: name, name, group: ['transform'], version: 1, description: '' };
	const shape = { defaults: { name }, inputs: ['main'], outputs: ['main'], properties: [] };
	return { description: { ...named, ...shape, ...description } as INodeTypeDescription, execute };
}

function typesOf(scenario: Scenario): INodeTypes {
	const all: Record<string, INodeType> = {
		'n8n-nodes-base.manualTrigger': nodeType('manualTrigger', undefined, { inputs: [] }),
		'n8n-nodes-base.noOp': nodeType('noOp'),
		...scenario.nodeTypes,
	};
	const get = (type: string) => {
		const found = all[type];
		if (!found) throw new Error(`The scenario has no node type ${type}`);
		return found;
	};
	return { getByName: get, getByNameAndVersion: get, getKnownTypes: () => ({}) };
}

const unused = async (): Promise<never> => {
	throw new Error('Not part of the engine tests');
};

/** The workflow and its surroundings, as n8n's cli package would provide them. */
export function build(
	scenario: Scenario,
	extra: Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'> = {},
) {
	Container.get(InstanceSettings).markAsLeader();
	const { nodes, connections, messages, executionId = EXECUTION_ID } = scenario;
	const mode = scenario.mode ?? 'manual';
	const workflow = new Workflow({
		id: 'wf1',
		name: 'Engine test',
		nodes: structuredClone(nodes),
		connections,
		active: false,
		nodeTypes: typesOf(scenario),
		staticData: scenario.staticData,
		settings: { executionOrder: 'v1', ...scenario.settings },
	});
	const stored = { id: 'wf1', name: 'Engine test', nodes, connections };
	const hooks = new ExecutionLifecycleHooks(mode, executionId, stored as IWorkflowBase);
	const additionalData: IWorkflowExecuteAdditionalData = {
		hooks,
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		credentialsHelper: new TestCredentials(scenario.credentialTypes ?? {}, scenario.credentials ?? {}),
		executionId,
		workflowId: 'wf1',
		currentNodeExecutionIndex: 0,
		variables: {},
		restApiUrl: `${BASE_URL}/rest`,
		instanceBaseUrl: `${BASE_URL}/`,
		webhookBaseUrl: `${BASE_URL}/webhook`,
		webhookTestBaseUrl: `${BASE_URL}/webhook-test`,
		webhookWaitingBaseUrl: `${BASE_URL}/webhook-waiting`,
		formBaseUrl: `${BASE_URL}/form`,
		formWaitingBaseUrl: `${BASE_URL}/form-waiting`,
		formTestBaseUrl: `${BASE_URL}/form-test`,
		mcpBaseUrl: `${BASE_URL}/mcp`,
		mcpTestBaseUrl: `${BASE_URL}/mcp-test`,
		setExecutionStatus: (status) => messages?.push(`status:${status}`),
		sendDataToUI: (type, data) => messages?.push(`ui:${type}:${JSON.stringify(data)}`),
		logAiEvent: () => {},
		executeWorkflow: unused,
		getRunExecutionData: unused,
		getRuntimeCredential: unused,
		startRunnerTask: unused,
		...(scenario.dataTables && { 'data-table': { dataTableProxyProvider: scenario.dataTables } }),
		...extra,
	};
	return { workflow, mode, additionalData };
}

let binaryStore: Promise<void> | undefined;

/** Prepares the store that prepareBinaryData writes to, as a normal n8n does once. */
export async function useBinaryStore(): Promise<void> {
	Container.get(BinaryDataConfig).mode = 'filesystem';
	await (binaryStore ??= Container.get(BinaryDataService).init());
}

function startOf(scenario: Scenario, workflow: Workflow): IRunExecutionData {
	const node = workflow.getNode(scenario.nodes[0]?.name ?? '');
	if (!node) throw new Error('The scenario has no nodes');
	const items = (scenario.input ?? [{}]).map((entry) =>
		'json' in entry ? (entry as INodeExecutionData) : { json: entry },
	);
	const { startsAt: establishedAt, mode: source = 'manual', parentExecution } = scenario;
	return createRunExecutionData({
		parentExecution,
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [items] }, source: null }],
			...(establishedAt !== undefined && { runtimeData: { version: 1, establishedAt, source } }),
		},
	});
}

/**
 * Starts the workflow, or goes on with `resume`. The returned promise has a `cancel()`: it does what
 * the editor's Stop button does, and the promise then gives the run as far as it came.
 */
export async function startWorkflow(scenario: Scenario, resume?: IRunExecutionData) {
	await useBinaryStore();
	const { workflow, mode, additionalData } = build(scenario);
	const data = resume ?? startOf(scenario, workflow);
	const run = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	return { run, cancel: () => run.cancel() };
}

/** Runs the workflow until it ends or parks (`run.data.waitTill` is then set). */
export async function runWorkflow(scenario: Scenario, resume?: IRunExecutionData): Promise<IRun> {
	const { run } = await startWorkflow(scenario, resume);
	return await run;
}

/**
 * Does what the editor's Execute Step does: n8n runs the workflow up to a node, without the nodes after it.
 *
 * @param ran what nodes before it put out in an earlier run, which n8n does not run again
 */
export async function runUpTo(
	scenario: Scenario,
	nodeName: string,
	ran: IRunExecutionData['resultData']['runData'] = {},
): Promise<IRun> {
	await useBinaryStore();
	const { workflow, mode, additionalData } = build(scenario);
	const start = scenario.nodes[0]?.name ?? '';
	const given = (scenario.input ?? [{}]).map((json) => ({ json: json as IDataObject }));
	const before: ITaskData = {
		...{ startTime: 0, executionTime: 0, executionIndex: 0, executionStatus: 'success', source: [] },
		data: { main: [given] },
	};
	return await new WorkflowExecute(additionalData, mode).runPartialWorkflow2(
		workflow,
		{ [start]: [before], ...ran },
		{},
		[],
		{ nodeName, mode: 'inclusive' },
	);
}

/** Whole items of one output of one round of a node; `[]` when the node did not run. */
export function outputItems(run: IRun, name: string, output = 0, round = 0): INodeExecutionData[] {
	return run.data.resultData.runData[name]?.[round]?.data?.main?.[output] ?? [];
}

/** The items' JSON, from all rounds. */
export function allItems(run: IRun, name: string, output = 0): IDataObject[] {
	return Array.from({ length: rounds(run, name) }, (_, round) => items(run, name, output, round)).flat();
}

/** The items' JSON, from one round. */
export function items(run: IRun, name: string, output = 0, round = 0): IDataObject[] {
	return outputItems(run, name, output, round).map((item) => item.json);
}

/** How often the node ran. */
export function rounds(run: IRun, name: string): number {
	return run.data.resultData.runData[name]?.length ?? 0;
}

/** The error that ended the run. */
export function errorOf(run: IRun) {
	return run.data.resultData.error;
}

/** Message and description of the error that ended the run; empty if there is none. */
export function errorText(run: IRun): string {
	const error = errorOf(run);
	const description = error !== undefined && 'description' in error ? error.description : undefined;
	return [error?.message, description].filter(Boolean).join(' ');
}

/** Hints that the node showed beside its output. */
export function hints(run: IRun, name: string, round = 0): NodeExecutionHint[] {
	return run.data.resultData.runData[name]?.[round]?.hints ?? [];
}

/** The hints' texts. */
export function said(run: IRun, name = 'Prices', round = 0): string[] {
	return hints(run, name, round).map(({ message }) => message);
}

/** What the items of the first output are linked to. */
export function linksOf(run: IRun, name = 'Prices') {
	return outputItems(run, name).map(({ pairedItem }) => pairedItem);
}

/** Lets the event loop run until the condition holds. Bounded, so that a test fails if it never does. */
export async function until(isSo: () => boolean): Promise<void> {
	for (let turn = 0; turn < 200_000 && !isSo(); turn++)
		await new Promise((resolve) => setImmediate(resolve));
	if (!isSo()) throw new Error('It never became so');
}

/** The bytes behind one binary property of an item, wherever they were stored. */
export async function binaryContent(item: INodeExecutionData, property = 'data'): Promise<Buffer> {
	const binary = item.binary?.[property];
	if (!binary) throw new Error(`The item has no binary property ${property}`);
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}
