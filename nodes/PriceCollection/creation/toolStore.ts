import { type IExecuteFunctions, jsonParse } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { toolLedgerFormat, type Purchase } from '../run/formats';
import { COUNTS_FOR_MS, readable, type Store } from './ledger';
import { canonical, hashOf } from '../values/identity';
import { Purchases } from './purchases';
import { without } from '../run/record';

/** Key of a tool's purchases in its static data. Stored as text, because n8n marks every object there. */
const STATIC_KEY = 'priceCollectionPurchases';
/** 132 bits of a hash: unique, and less to store with each question. */
const HASH_LENGTH = 22;

/**
 * The questions that this process asked as tools, by node. n8n saves no static data in the editor, and of
 * concurrent executions the last one overwrites the data of the others.
 */
const askedHere = new Map<string, { purchases: Purchases; usedAt: number }>();

const isExpired = ({ creation }: Purchase) => creation.sentAt <= clock.now() - COUNTS_FOR_MS;

/** The purchases of a tool that is used now. Tools without a question that counts are forgotten. */
function purchasesOf(node: string): Purchases {
	const now = clock.now();
	const { purchases } = askedHere.get(node) ?? { purchases: new Purchases() };
	askedHere.set(node, { purchases, usedAt: now });
	for (const [other, { usedAt, purchases: asked }] of askedHere) {
		// An execution may still hold the purchases of a tool that was used later.
		if (usedAt <= now - COUNTS_FOR_MS && asked.all.every(isExpired)) askedHere.delete(other);
	}
	return purchases;
}

/** The purchase as it is stored: once its job is known, the mark by which a list would show it is not needed. */
function asStored({ creation: { nonce, ...creation }, ...purchase }: Purchase): Purchase {
	const isKnown = creation.jobId !== undefined || nonce === undefined;
	return { ...purchase, creation: isKnown ? creation : { ...creation, nonce } };
}

/** The questions of a tool. What is asked does not depend on who asks, so that all items are one. */
export function storeOfTool(context: IExecuteFunctions, fieldsHash: string): Store {
	const { id, credentials } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, id]);
	const data = context.getWorkflowStaticData('node');
	const written = data[STATIC_KEY] ?? null;
	const parsed = jsonParse<unknown>(String(written), { fallbackValue: written ?? '' });
	const stored = readable(context, toolLedgerFormat.read(parsed), [
		'which questions are paid for already',
		'Install the newer version again, or replace this node by a new one.',
	]);
	const purchases = purchasesOf(node);
	const markOf = ({ what, creation, values: [purchasedValue] }: Purchase) =>
		`${what} ${creation.sentAt} ${purchasedValue?.[1]}`;
	const marks = new Set(purchases.all.map(markOf));
	// What this process knows is newer.
	for (const purchase of stored?.purchases ?? [])
		if (!marks.has(markOf(purchase))) purchases.addOlder(purchase);
	// Another account does not have these jobs.
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
			const stored = { purchases: purchases.all.map(asStored) };
			data[STATIC_KEY] = JSON.stringify(toolLedgerFormat.write(stored));
		},
		// The purchases of other executions are other questions.
		ofExecution: () => [],
		forgettable: (jobId) => purchases.all.filter(({ creation }) => creation.jobId === jobId),
	};
}
