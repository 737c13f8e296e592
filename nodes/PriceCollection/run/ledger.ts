import { type IDataObject, type IExecuteFunctions, jsonParse } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import { isTool, startOfFirstRun } from '../n8n/execution';
import { RecentMap } from '../n8n/memory';
import type { StoredRead } from '../n8n/storedFormat';
import { executionLedgerFormat, toolLedgerFormat, type Purchase } from './formats';
import { canonical, hashOf } from './lookup/values';
import { without, type Creation } from './record';
import { storedRequest } from './request';

/** Key of the purchases in the node's context, which n8n stores with the execution. */
const CONTEXT_KEY = 'priceCollectionPurchases';
/** Key of a tool's purchases in its static data. Stored as text, because n8n marks every object there. */
const STATIC_KEY = 'priceCollectionPurchases';
/** Older purchases are made again: prices age, and services of this kind delete jobs after some days. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** How many earlier jobs are kept, so that they are not mistaken for lost ones of this round. */
const MOST_EARLIER = 100;
const MOST_RETRIED = 1_000;
const MOST_QUESTIONS = 200;
const MOST_TOOLS = 200;

/** The value of a purchase in the form that identifies it. */
export const identityIn = (buy: string) => buy.slice(buy.indexOf('\n') + 1);

/** The purchases of one `what`, by each of their `buys`. */
function buysUnder(byBuy: Store['byBuy'], what: string): Map<string, Purchase> {
	const own = byBuy.get(what) ?? new Map<string, Purchase>();
	byBuy.set(what, own);
	return own;
}

/** Where purchases are kept, and what identifies one there. */
interface Store {
	purchases: Purchase[];
	/** The purchases by `what`, and by each of their `buys`. */
	byBuy: Map<string, Map<string, Purchase>>;
	whatOf: (parameters: IDataObject, webhookUrlParameter: string) => string;
	itemOf: (item: number) => number;
	/** Writes them, if they are not written in place. */
	keep: () => void;
	gap?: Ledger['gap'];
	earlier?: readonly string[];
	isShared: boolean;
}

/**
 * Records what each creation request buys, before and after it is sent, so that nothing is paid for twice: the
 * node's stored fields, the item and the value, whatever expressions such as `{{ $now }}` return.
 */
export class Ledger {
	/** Set when there may be requests that are not recorded: between these times, if their beginning is known. */
	readonly gap?: { from?: number; to: number };
	/** Whether other executions buy from it as well: they may be at work, and its jobs may be gone since. */
	readonly isShared: boolean;

	constructor(private readonly store: Store) {
		this.gap = store.gap;
		this.isShared = store.isShared;
	}

	/** What distinguishes a request with these wire parameters from others, besides item, value and callback URL. */
	whatOf(parameters: IDataObject, webhookUrlParameter: string): string {
		return this.store.whatOf(parameters, webhookUrlParameter);
	}

	/** The purchase of a value by an item; undefined for a new one. */
	find(what: string, item: number, identity: string): Purchase | undefined {
		const known = this.store.byBuy.get(what)?.get(`${this.store.itemOf(item)}\n${identity}`);
		return known && known.creation.sentAt > clock.now() - COUNTS_FOR_MS ? known : undefined;
	}

	/** Records a new purchase, before it is sent. */
	open(
		what: string,
		values: ReadonlyArray<[item: number, identity: string]>,
		creation: Creation,
		sent: Purchase['sent'],
	): Purchase {
		const purchase: Purchase = { what, buys: [], creation, sent };
		this.store.purchases.push(purchase);
		this.add(purchase, values);
		return purchase;
	}

	/** Records that a purchase buys these values as well. */
	add(purchase: Purchase, values: ReadonlyArray<[item: number, identity: string]>): void {
		const { byBuy, itemOf, keep } = this.store;
		const own = buysUnder(byBuy, purchase.what);
		for (const [item, identity] of values) {
			const buy = `${itemOf(item)}\n${identity}`;
			if (own.get(buy) === purchase) continue;
			purchase.buys.push(buy);
			own.set(buy, purchase);
		}
		keep();
	}

	/** Records what has become of a purchase. What was sent is kept until its job is known. */
	note(purchase: Purchase, creation: Creation): void {
		purchase.creation = creation;
		if (creation.jobId !== undefined) delete purchase.sent;
		this.store.keep();
	}

	/** Whether a purchase is still recorded. */
	has(purchase: Purchase): boolean {
		return this.store.purchases.includes(purchase);
	}

	/** Removes a purchase, because certainly nothing was bought. */
	drop(purchase: Purchase): void {
		const { purchases, byBuy, keep } = this.store;
		const place = purchases.indexOf(purchase);
		if (place >= 0) purchases.splice(place, 1);
		const own = byBuy.get(purchase.what);
		for (const buy of purchase.buys) if (own?.get(buy) === purchase) own.delete(buy);
		keep();
	}

	/** The creations of this node in this execution; none for a tool, whose purchases are other questions. */
	creations(): Creation[] {
		return this.isShared ? [] : this.store.purchases.map(({ creation }) => creation);
	}

	/** The jobs of recorded purchases, and when those were sent; 0 for jobs of earlier rounds. */
	jobs(): Map<string, number> {
		const earlier = (this.store.earlier ?? []).map((jobId): [string, number] => [jobId, 0]);
		const own = this.store.purchases.flatMap(
			({ creation: { jobId, sentAt } }): Array<[string, number]> =>
				jobId === undefined ? [] : [[jobId, sentAt]],
		);
		return new Map([...earlier, ...own]);
	}

	/** Forgets a question whose job answered nothing, so that it can be asked again. */
	forget(jobId: string): void {
		if (!this.isShared) return;
		for (const purchase of [...this.store.purchases])
			if (purchase.creation.jobId === jobId) this.drop(purchase);
	}
}

/** The purchases by `what` and `buys`; later ones win. */
function byBuyOf(purchases: readonly Purchase[]): Store['byBuy'] {
	const byBuy: Store['byBuy'] = new Map();
	for (const purchase of purchases) {
		const own = buysUnder(byBuy, purchase.what);
		for (const buy of purchase.buys) own.set(buy, purchase);
	}
	return byBuy;
}

/**
 * Opens the ledger, before anything that can fail: a manual retry without one checks the job list first.
 *
 * @throws NodeOperationError for an unreadable one, because new jobs could be paid for twice
 */
export async function openLedger(context: IExecuteFunctions): Promise<Ledger> {
	const fieldsHash = hashOf(canonical(storedRequest(context.getNode().parameters)));
	return new Ledger(
		isTool(context) ? storeOfTool(context, fieldsHash) : await storeOfExecution(context, fieldsHash),
	);
}

/** The stored value, if any. @throws NodeOperationError when it is unreadable */
function readable<T>(context: IExecuteFunctions, read: StoredRead<T>, [unknown, advice]: [string, string]) {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknown}`;
	throw inputError(context.getNode(), message, `Nothing was sent. ${advice}`);
}

/**
 * Whether this is the first manual retry of an attempt, so that nothing was sent since. Uses n8n's store of
 * processed items: only that is written at once and survives a crash in the middle of an execution. Without
 * the store, other retries are assumed.
 */
async function isFirstRetryOf(context: IExecuteFunctions, executionId: string): Promise<boolean> {
	const options = { mode: 'entries', maxEntries: MOST_RETRIED } as const;
	try {
		const items = [`retry: try of ${executionId}`];
		return (await context.helpers.checkProcessedAndRecord(items, 'node', options)).new.length > 0;
	} catch {
		return false;
	}
}

/**
 * The purchases of this round of the node. A manual retry cannot trust a missing or outdated record: the
 * attempt before it may have been killed, so that its requests are not recorded.
 */
async function storeOfExecution(context: IExecuteFunctions, fieldsHash: string): Promise<Store> {
	const by = context.getExecutionId();
	const kept = context.getContext('node');
	const stored = readable(context, executionLedgerFormat.read(kept[CONTEXT_KEY]), [
		'which jobs exist already',
		'Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
	]);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const isSameRound = stored?.round === round;
	const isSameTry = stored?.opened.by === by;
	const opened = isSameTry ? stored.opened : { by, at: now };
	const all = stored?.purchases ?? [];
	const purchases = isSameRound ? all : [];
	const ended = isSameRound ? [] : all.flatMap(({ creation: { jobId } }) => jobId ?? []);
	const earlier = [...(stored?.earlier ?? []), ...ended].slice(-MOST_EARLIER);
	let gap = stored?.gap;
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	if (isRetry && !(isSameRound && (await isFirstRetryOf(context, stored.opened.by)))) {
		const from = startOfFirstRun(context);
		// An equal job in so long a time may be anybody's.
		gap = from !== undefined && from > now - COUNTS_FOR_MS ? { from } : {};
		// A lost request may have been sent again since.
		for (const { creation } of purchases) if (creation.jobId === undefined) creation.lostAt = now;
	}
	// Written in place: the lists are those that are stored.
	kept[CONTEXT_KEY] = executionLedgerFormat.write({ round, opened, gap, purchases, earlier });
	return {
		purchases,
		byBuy: byBuyOf(purchases),
		whatOf: () => fieldsHash,
		itemOf: (item) => item,
		keep: () => undefined,
		gap: gap && { ...gap, to: opened.at },
		earlier,
		isShared: false,
	};
}

/**
 * The questions that this process asked as tools, by node. n8n saves no static data in the editor, and of
 * concurrent executions the last one overwrites the data of the others.
 */
const askedHere = new RecentMap<string, Pick<Store, 'byBuy' | 'purchases'>>(MOST_TOOLS);

function storeOfTool(context: IExecuteFunctions, fieldsHash: string): Store {
	const { id, credentials } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, id]);
	const data = context.getWorkflowStaticData('node');
	const written = data[STATIC_KEY] ?? null;
	const parsed = jsonParse<unknown>(String(written), { fallbackValue: written ?? '' });
	const stored = readable(context, toolLedgerFormat.read(parsed), [
		'which questions are paid for already',
		'Install the newer version again, or replace this node by a new one.',
	]);
	const here = askedHere.get(node) ?? { purchases: [], byBuy: byBuyOf([]) };
	askedHere.set(node, here);
	const { purchases, byBuy } = here;
	const markOf = ({ what, creation }: Purchase) => `${what} ${creation.sentAt} ${creation.nonce}`;
	const marks = new Set(purchases.map(markOf));
	// What this process knows is newer.
	purchases.unshift(...(stored?.purchases ?? []).filter((purchase) => !marks.has(markOf(purchase))));
	const index = () => {
		byBuy.clear();
		for (const [what, own] of byBuyOf(purchases)) byBuy.set(what, own);
	};
	index();
	// Another account does not have these jobs.
	const account = credentials?.priceCollectionApi?.id ?? null;
	return {
		...here,
		whatOf: (parameters, webhookUrlParameter) => {
			const resolved = without(parameters, webhookUrlParameter);
			return hashOf(canonical({ fieldsHash, resolved, account }));
		},
		// What is asked does not depend on who asks.
		itemOf: () => 0,
		keep: () => {
			const counting = purchases
				.filter(({ creation }) => creation.sentAt > clock.now() - COUNTS_FOR_MS)
				.sort((a, b) => a.creation.sentAt - b.creation.sentAt)
				.slice(-MOST_QUESTIONS);
			purchases.splice(0, Infinity, ...counting);
			index();
			data[STATIC_KEY] = JSON.stringify(toolLedgerFormat.write({ purchases }));
		},
		isShared: true,
	};
}
