import { parse } from 'flatted';
import type { IDataObject, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

import type { N8nClient } from '../../tools/n8n/client.cjs';
import { FAILED, ROWS } from './workflows.ts';

/** An execution as the list shows it. */
export interface Listed {
	id: string;
	workflowId: string;
	status: string;
	startedAt: string | null;
	stoppedAt: string | null;
	/** Of a retry: the execution that was retried. */
	retryOf?: string | null;
}

/** An execution as n8n has stored it. */
export interface Stored extends Listed {
	/** All of its data as one text: what the package could know in a retry of it. */
	text: string;
	/** What came out, by the node `Rows`, and what failed, by the node `Failed`. */
	rows: IDataObject[];
	failed: IDataObject[];
	/** What ended it, in words; empty where nothing did. */
	error: string;
	/** What other nodes of it say: hints, and errors that it went on after. */
	remarks: string;
}

const PAGE = 100;
/** What n8n puts in the place of items that it has lost. */
const MADE_UP = 'isArtificialRecoveredEventItem';
const STATUSES = ['new', 'running', 'waiting', 'success', 'error', 'canceled', 'crashed'];

/** All executions of this n8n, by their workflow, oldest first. */
export async function listExecutions(client: N8nClient): Promise<Map<string, Listed[]>> {
	const found = new Map<string, Listed>();
	const filter = encodeURIComponent(JSON.stringify({ status: STATUSES }));
	for (let cursor: string | null = ''; cursor !== null;) {
		const position: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
		const page = (await client.call(
			'GET',
			`/rest/executions?limit=${PAGE}&filter=${filter}${position}`,
		)) as {
			results: Listed[];
			nextCursor?: string | null;
		};
		for (const one of page.results) found.set(one.id, one);
		cursor = page.nextCursor ?? null;
	}
	const byWorkflow = new Map<string, Listed[]>();
	for (const one of [...found.values()].sort((a, b) => Number(a.id) - Number(b.id))) {
		byWorkflow.set(one.workflowId, [...(byWorkflow.get(one.workflowId) ?? []), one]);
	}
	return byWorkflow;
}

function itemsOf({ resultData }: IRunExecutionData, name: string): IDataObject[] {
	const runs = resultData.runData[name] ?? [];
	const items = runs.flatMap(({ data }) => (data?.main ?? []).flatMap((output) => output ?? []));
	return items.map(({ json }: INodeExecutionData) => json).filter((json) => json[MADE_UP] !== true);
}

function textOf(error: unknown): string {
	const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
	return `${message} ${description ?? ''}`.trim();
}

export async function readExecution(client: N8nClient, listed: Listed): Promise<Stored> {
	const found = (await client.call('GET', `/rest/executions/${listed.id}`)) as Listed & { data: string };
	const data = parse(found.data) as IRunExecutionData;
	const runs = Object.values(data.resultData?.runData ?? {}).flat();
	const remarks = runs.flatMap(({ error, hints = [] }) => [
		textOf(error),
		...hints.map(({ message }) => message),
	]);
	return {
		...listed,
		status: found.status,
		startedAt: found.startedAt,
		stoppedAt: found.stoppedAt,
		text: found.data,
		rows: itemsOf(data, ROWS),
		failed: itemsOf(data, FAILED),
		error: textOf(data.resultData?.error),
		remarks: remarks.filter((text) => text !== '').join('\n'),
	};
}
