import { type IExecuteFunctions, jsonParse } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { RecentMap } from '../n8n/memory';
import { toolLedgerFormat, type Purchase } from '../run/formats';
import { COUNTS_FOR_MS, readable, type Store } from './ledger';
import { canonical, hashOf } from '../values/identity';
import { Purchases } from './purchases';
import { without } from '../run/record';

/** Key of a tool's purchases in its static data. Stored as text, because n8n marks every object there. */
const STATIC_KEY = 'priceCollectionPurchases';
const MOST_QUESTIONS = 200;
const MOST_TOOLS = 200;

/**
 * The questions that this process asked as tools, by node. n8n saves no static data in the editor, and of
 * concurrent executions the last one overwrites the data of the others.
 */
const askedHere = new RecentMap<string, Purchases>(MOST_TOOLS);

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
	const purchases = askedHere.get(node) ?? new Purchases();
	askedHere.set(node, purchases);
	const markOf = ({ what, creation }: Purchase) => `${what} ${creation.sentAt} ${creation.nonce}`;
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
			return hashOf(canonical({ fieldsHash, resolved, account }));
		},
		itemOf: () => 0,
		keep: () => {
			const since = clock.now() - COUNTS_FOR_MS;
			const latest = purchases.all.toSorted((a, b) => b.creation.sentAt - a.creation.sentAt);
			for (const [place, purchase] of latest.entries())
				if (place >= MOST_QUESTIONS || purchase.creation.sentAt <= since) purchases.remove(purchase);
			data[STATIC_KEY] = JSON.stringify(toolLedgerFormat.write({ purchases: purchases.all }));
		},
		// The purchases of other executions are other questions.
		ofExecution: () => [],
		forgettable: (jobId) => purchases.all.filter(({ creation }) => creation.jobId === jobId),
	};
}
