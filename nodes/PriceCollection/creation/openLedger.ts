import type { IExecuteFunctions } from 'n8n-workflow';

import { isTool } from '../n8n/execution';
import { storeOfExecution } from './executionStore';
import { Ledger } from './ledger';
import { canonical, hashOf } from '../values/identity';
import { storedRequest } from './request';
import { storeOfTool } from './toolStore';

/**
 * Opens the ledger. Call this before anything that can fail: a manual retry that finds no ledger has to search the job
 * list first.
 *
 * @throws NodeOperationError if the stored ledger is unreadable, because new jobs could be paid for twice
 */
export async function openLedger(context: IExecuteFunctions): Promise<Ledger> {
	const fieldsHash = hashOf(canonical(storedRequest(context.getNode().parameters)));
	const store = isTool(context)
		? storeOfTool(context, fieldsHash)
		: await storeOfExecution(context, fieldsHash);
	return new Ledger(store);
}
