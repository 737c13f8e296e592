import type { IDataObject, IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { newNonce } from '../../callback/sign';
import type { CollectRun } from './run';
import type { ResultChoice } from '../../output/fetch';
import { inputError } from '../../n8n/errors';
import { isObject } from '../../service/types';

/** What a run that waits for its callback keeps in the execution, where it survives restarts. */
export interface SavedRun {
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: string;
	run: CollectRun;
	choice: ResultChoice;
}

const CONTEXT_KEY = 'priceCollectionRun';
const MARKER_FIELD = 'price_collection_resume';

/** Keeps a run until its callback. */
export function saveRun(context: IExecuteFunctions, run: CollectRun, choice: ResultChoice): void {
	const saved: SavedRun = { marker: newNonce(), run, choice };
	context.getContext('node')[CONTEXT_KEY] = saved as unknown as IDataObject;
}

function asSavedRun(value: unknown): SavedRun | undefined {
	return isObject(value) && typeof value.marker === 'string' && isObject(value.run)
		? (value as unknown as SavedRun)
		: undefined;
}

/**
 * The run that a callback has woken; undefined for a run that begins. It stays where it is, for n8n may run the node
 * again after an error.
 *
 * @throws NodeOperationError for a woken run that is not to be found: beginning anew would be paid for twice
 */
export function savedRun(context: IExecuteFunctions): SavedRun | undefined {
	const marker = context.getInputData()[0]?.json[MARKER_FIELD];
	if (marker === undefined) return undefined;
	const saved = asSavedRun(context.getContext('node')[CONTEXT_KEY]);
	if (saved !== undefined && marker === saved.marker) return saved;
	throw inputError(
		context.getNode(),
		'The run that was to be resumed is not in this execution',
		'Its jobs are not lost: Get Many lists them, and Wait takes them up.',
	);
}

/** The input that makes `execute()` go on with the saved run. */
export function resumeItem({ marker }: SavedRun): IDataObject {
	return { [MARKER_FIELD]: marker };
}

/** The run that the suspended node waits with, seen from `webhook()`, which has no access to the node's context. */
export function runInWebhook(context: IWebhookFunctions): SavedRun | undefined {
	// Braces in the name would end the expression.
	const name = JSON.stringify(context.getNode().name).replace(/[{}]/g, (brace) =>
		brace === '{' ? '\\u007b' : '\\u007d',
	);
	const kept: unknown = context.evaluateExpression(`{{ $(${name}).context }}`, 0);
	return isObject(kept) ? asSavedRun(kept[CONTEXT_KEY]) : undefined;
}
