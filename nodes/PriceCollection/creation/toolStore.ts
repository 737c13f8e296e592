import { type IExecuteFunctions, jsonParse } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { toolLedgerFormat, type Purchase } from '../run/formats';
import { COUNTS_FOR_MS, valueOrRefusal, type Store } from './ledger';
import { canonical, hashOf } from '../values/identity';
import { Purchases } from './purchases';
import { without } from '../run/record';

/** Key of a tool's purchases in its static data. Stored as text, because n8n adds hidden properties to objects there. */
const STATIC_KEY = 'priceCollectionPurchases';
/** 132 bits of a hash: enough to be unique, and less to store with each purchase. */
const HASH_LENGTH = 22;

/**
 * The purchases of this process's tools, by node. Static data is not enough: n8n does not save it for executions in
 * the editor, and of concurrent executions the last one overwrites the data of the others.
 */
const purchasesByNode = new Map<string, { purchases: Purchases; usedAt: number }>();

const isExpired = ({ creation }: Purchase) => creation.sentAt <= clock.now() - COUNTS_FOR_MS;

/** The purchases of a tool that is being used. */
function purchasesOf(node: string): Purchases {
	const { purchases } = purchasesByNode.get(node) ?? { purchases: new Purchases() };
	purchasesByNode.set(node, { purchases, usedAt: clock.now() });
	return purchases;
}

/** Forgets the tools whose purchases have all expired, except those that are in use. */
function forgetUnusedTools(): void {
	const now = clock.now();
	for (const [node, { usedAt, purchases }] of purchasesByNode) {
		// An execution may still hold the purchases of a tool that was used more recently.
		if (usedAt <= now - COUNTS_FOR_MS && purchases.all.every(isExpired)) purchasesByNode.delete(node);
	}
}

/** The purchase as it is stored. Once its job is known, the mark that identifies it in a job list is not needed. */
function asStored({ creation: { nonce, ...creation }, ...purchase }: Purchase): Purchase {
	const needsNoMark = creation.jobId !== undefined || nonce === undefined;
	return { ...purchase, creation: needsNoMark ? creation : { ...creation, nonce } };
}

/**
 * Opens the store of a tool's purchases. A question does not depend on the item that asks it, so all items share one
 * index.
 *
 * @throws NodeOperationError if the stored purchases are unreadable
 */
export function storeOfTool(context: IExecuteFunctions, fieldsHash: string): Store {
	const { id, credentials } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, id]);
	const staticData = context.getWorkflowStaticData('node');
	const storedValue = staticData[STATIC_KEY] ?? null;
	const parsed = jsonParse<unknown>(String(storedValue), { fallbackValue: storedValue ?? '' });
	const stored = valueOrRefusal(context, toolLedgerFormat.read(parsed), [
		'which questions are already paid for',
		'Install the newer version again, or replace this node with a new one.',
	]);
	const purchases = purchasesOf(node);
	forgetUnusedTools();
	const fingerprintOf = ({ what, creation, values: [purchasedValue] }: Purchase) =>
		`${what} ${creation.sentAt} ${purchasedValue?.[1]}`;
	const fingerprints = new Set(purchases.all.map(fingerprintOf));
	// The purchases that this process remembers are newer.
	for (const purchase of stored?.purchases ?? [])
		if (!fingerprints.has(fingerprintOf(purchase))) purchases.addOlder(purchase);
	// These jobs do not exist in another account, so the account is part of the hash.
	const account = credentials?.priceCollectionApi?.id ?? null;
	return {
		purchases,
		earlier: [],
		outlivesExecution: true,
		whatOf: (parameters, webhookUrlParameter) => {
			const resolved = without(parameters, webhookUrlParameter);
			return hashOf(canonical({ fieldsHash, resolved, account })).slice(0, HASH_LENGTH);
		},
		itemOf: () => 0,
		keep: () => {
			for (const purchase of purchases.all.filter(isExpired)) purchases.remove(purchase);
			const ledger = { purchases: purchases.all.map(asStored) };
			staticData[STATIC_KEY] = JSON.stringify(toolLedgerFormat.write(ledger));
		},
		// The list contains the purchases of all executions, so none is attributed to this one.
		ofExecution: () => [],
		forgettable: (jobId) => purchases.all.filter(({ creation }) => creation.jobId === jobId),
	};
}
