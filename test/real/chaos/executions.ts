import { stringify } from 'flatted';
import type { IDataObject } from 'n8n-workflow';

import type { Execution, N8nClient } from '../../support/n8n/client.cjs';
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
	/** All its data as one text: everything that the package could know in a retry. */
	text: string;
	/** The items of the nodes `Rows` and `Failed`. */
	rows: IDataObject[];
	failed: IDataObject[];
	/** The error that ended it; empty if there was none. */
	error: string;
}

const PAGE = 100;
/** Marks the items that n8n puts in the place of lost ones. */
const MADE_UP = 'isArtificialRecoveredEventItem';
const STATUSES = ['new', 'running', 'waiting', 'success', 'error', 'canceled', 'crashed'];

/** All executions of this n8n, by their workflow, oldest first. */
export async function listExecutions(client: N8nClient): Promise<Map<string, Listed[]>> {
	const found = new Map<string, Listed>();
	const filter = encodeURIComponent(JSON.stringify({ status: STATUSES }));
	let position = '';
	do {
		const path = `/rest/executions?limit=${PAGE}&filter=${filter}${position}`;
		const page = (await client.call('GET', path)) as { results: Listed[]; nextCursor?: string | null };
		for (const one of page.results) found.set(one.id, one);
		position = page.nextCursor ? `&cursor=${encodeURIComponent(page.nextCursor)}` : '';
	} while (position !== '');
	const byWorkflow = new Map<string, Listed[]>();
	for (const one of [...found.values()].sort((a, b) => Number(a.id) - Number(b.id))) {
		byWorkflow.set(one.workflowId, [...(byWorkflow.get(one.workflowId) ?? []), one]);
	}
	return byWorkflow;
}

const jsonOf = (execution: Execution, name: string): IDataObject[] => {
	const runs = execution.data.resultData.runData[name] ?? [];
	const items = runs.flatMap(({ data }) => (data?.main ?? []).flatMap((output) => output ?? []));
	return items.map(({ json }) => json).filter((json) => json[MADE_UP] !== true);
};

export async function readExecution(client: N8nClient, listed: Listed): Promise<Stored> {
	const execution = await client.execution(listed.id);
	const { error } = execution.data.resultData ?? {};
	return {
		...listed,
		status: execution.status,
		text: stringify(execution.data),
		rows: jsonOf(execution, ROWS),
		failed: jsonOf(execution, FAILED),
		error: `${error?.message ?? ''} ${error?.description ?? ''}`.trim(),
	};
}
