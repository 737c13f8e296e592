import { setTimeout as sleep } from 'node:timers/promises';

import { Dice } from '../../fakes/sandbox/content/random.ts';
import { startSandbox, type Sandbox } from '../../fakes/sandbox/sandbox.ts';
import { ENDED } from '../../support/n8n/client.cjs';
import { listExecutions, type Listed } from './executions.ts';
import { casesOf, type Case } from './plan.ts';
import { restart, type End, type Part, type UnderTest } from './underTest.ts';
import { CALM, changed, servicesOf } from './weather.ts';
import { workflowOf, type CredentialReference } from './workflows.ts';

const TICK_MS = 2_000;
/** How long a call that got no answer may still take effect. */
const UNCLEAR_MS = 30_000;
const MOST_RETRIES = 6;
const MOST_CALM_RETRIES = 4;
/** The most cases that start at the same moment. */
const STARTS_AT_ONCE = 4;
/** How long runs may take to end once nothing goes wrong any more. */
const LONGEST_CALM_MS = 15 * 60_000;
const ENDS: End[] = ['kill', 'stop'];

/** A case on its way, with its executions, oldest first. */
export interface Run {
	one: Case;
	workflowId: string;
	executions: Listed[];
	path: string;
	/** When n8n was asked to start it, and whether n8n has confirmed that. */
	askedAt?: number;
	isStarted: boolean;
	/** The executions that n8n was asked to retry, and when. */
	retried: Map<string, number>;
	/** How often n8n refused a retry. */
	refusals: number;
	/** How many more retries are allowed. */
	retriesLeft: number;
}

export interface StormSettings {
	seed: string;
	jobs: number;
	/** How long things go wrong, in milliseconds. */
	lastsMs: number;
}

/** A storm: cases start, services misbehave, and n8n ends and restarts. Then it is calm until all runs are over. */
export class Storm {
	readonly runs: Run[] = [];
	readonly sandboxes: Sandbox[] = [];
	/** What happened, for the report. */
	readonly tally = { restarts: [] as string[], retries: 0 };
	/** Whether the time ran out before all was over. */
	isCutShort = false;
	private readonly n8n: UnderTest;
	private readonly settings: StormSettings;
	private begin = 0;
	private isCalm = false;
	private restarting: Promise<unknown> | undefined;
	/** When the latest successful look at the list of executions began. */
	private lookedAt = 0;
	/** Why a part could not be restarted. */
	private failure: Error | undefined;
	private readonly dice: Dice;
	/** When the services change next, and when the next part of n8n ends. */
	private changeAt = 0;
	private restartAt = 0;
	/** The ends left in this cycle, in which each part gets each kind of end once. */
	private ends: Array<{ part: Part; how: End }> = [];

	constructor(n8n: UnderTest, settings: StormSettings) {
		this.n8n = n8n;
		this.settings = settings;
		this.dice = new Dice(`${settings.seed} storm`);
	}

	/** Real time since the beginning, in milliseconds. */
	private get now(): number {
		return Date.now() - this.begin;
	}

	private say(text: string): void {
		console.log(`${String(Math.round(this.now / 1000)).padStart(4)} s  ${text}`);
	}

	/** Starts the services, and saves and publishes all workflows. */
	async prepare(): Promise<void> {
		const { seed, jobs, lastsMs } = this.settings;
		const { client } = this.n8n;
		const plans = servicesOf(seed);
		const accounts = new Map<string, Record<string, unknown>>();
		const credentials = new Map<string, CredentialReference>();
		for (const [service, { options, isSigned }] of plans.entries()) {
			const sandbox = await startSandbox(options);
			this.sandboxes.push(sandbox);
			const { apiKey, secondApiKey } = sandbox.options;
			for (const [account, key] of [apiKey, secondApiKey].entries()) {
				const name = `service ${service}, account ${account}`;
				const secret = isSigned[account] === true && { webhookSecret: `secret of ${name}` };
				const data = { baseUrl: sandbox.url, apiKey: key, ...secret };
				accounts.set(name, data);
			}
		}
		for (const one of casesOf(seed, jobs, lastsMs * 0.7)) {
			const path = `start-${one.name.replaceAll(' ', '-')}`;
			const { maxValuesPerJob } = one;
			const account = `service ${one.service}, account ${one.account}`;
			const name = `${account}, ${maxValuesPerJob ?? 'single'} values a job`;
			// A service that only takes lists refuses a single value.
			const takesOne = plans[one.service]?.options.lookupValues !== 'values';
			const single = takesOne ? { lookupValues: 'single' } : { maxValuesPerJob: 1 };
			const sent = maxValuesPerJob === undefined ? single : { maxValuesPerJob };
			const data = { ...accounts.get(account), customizeService: true, ...sent };
			const credential = credentials.get(name) ?? {
				...(await client.createCredential(name, data)),
				name,
			};
			credentials.set(name, credential);
			const parts = workflowOf(one, path, credential);
			const { id } = await client.createWorkflow({ name: one.name, ...parts });
			this.runs.push({
				...{ one, workflowId: id, path, executions: [], isStarted: false },
				...{ retried: new Map(), refusals: 0, retriesLeft: MOST_RETRIES },
			});
		}
		// Only now, so that the first counted request of a service is a case's.
		for (const [service, sandbox] of this.sandboxes.entries()) {
			sandbox.clearRequests();
			for (const fault of plans[service]?.faults ?? []) sandbox.faults.add(fault);
		}
	}

	/**
	 * Calls the workflow. `startDue` repeats the call if it may not have arrived. The workflow is only published for
	 * the call: at each start, n8n spends half a second on every published one.
	 */
	private async start(run: Run): Promise<void> {
		const { client } = this.n8n;
		run.askedAt = this.now;
		try {
			await client.activate(run.workflowId);
			const reply = await client.callWebhook(run.path, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ items: run.one.items }),
				signal: AbortSignal.timeout(UNCLEAR_MS / 2),
			});
			// n8n answers 200 to every call while it starts, and passes none of them on.
			run.isStarted = (await reply.text()).includes('Workflow was started');
		} catch {
			// The list of executions will show whether it started.
		}
		await client.deactivate(run.workflowId).catch(() => undefined);
	}

	private async startDue(): Promise<void> {
		const due = this.runs.filter(
			(run) =>
				!run.isStarted &&
				run.executions.length === 0 &&
				run.one.startsAt <= this.now &&
				// Only a list that was read later proves that it did not start.
				(run.askedAt === undefined || this.lookedAt - run.askedAt > UNCLEAR_MS),
		);
		await Promise.all(due.slice(0, STARTS_AT_ONCE).map(async (run) => await this.start(run)));
	}

	/** Retries a failed execution, as a user would, and again if n8n may not have received the request. */
	private retry(one: Run, { id }: Listed): void {
		if (this.lookedAt - (one.retried.get(id) ?? -Infinity) < UNCLEAR_MS) return;
		if (!one.retried.has(id)) this.tally.retries++;
		one.retried.set(id, this.now);
		// n8n only answers when the retry is over.
		this.n8n.client
			.call('POST', `/rest/executions/${id}/retry`, { loadWorkflow: false })
			.catch(({ status = 0 }: { status?: number }) => {
				if (status >= 400 && status < 500) one.refusals++;
			});
	}

	/** Whether nothing more will happen to a run by itself or by a retry. */
	private isOver(run: Run): boolean {
		const last = run.executions.at(-1);
		if (last === undefined || !ENDED.includes(last.status)) return false;
		if (last.status === 'success' || run.refusals > 2) return true;
		return this.isCalm && run.retriesLeft === 0 && !run.retried.has(last.id);
	}

	private retryFailed(): void {
		for (const run of this.runs) {
			const last = run.executions.at(-1);
			const isFailed = last !== undefined && ENDED.includes(last.status) && last.status !== 'success';
			if (!isFailed || run.executions.some(({ retryOf }) => retryOf === last.id)) continue;
			if (this.isOver(run)) continue;
			const isAsked = run.retried.has(last.id);
			if (!isAsked && run.retriesLeft === 0) continue;
			if (!isAsked) run.retriesLeft--;
			this.retry(run, last);
		}
	}

	private async look(): Promise<boolean> {
		const began = this.now;
		try {
			const byWorkflow = await listExecutions(this.n8n.client);
			for (const one of this.runs) {
				// Pages shift while executions start, so keep those that an earlier look found.
				const seen = new Map(one.executions.map((listed) => [listed.id, listed]));
				for (const listed of byWorkflow.get(one.workflowId) ?? []) seen.set(listed.id, listed);
				one.executions = [...seen.values()].sort((a, b) => Number(a.id) - Number(b.id));
			}
			this.lookedAt = began;
			return true;
		} catch {
			// n8n is down right now.
			return false;
		}
	}

	private changeServices(): void {
		if (this.isCalm || this.now < this.changeAt) return;
		this.changeAt = this.now + this.dice.number(8_000, 20_000);
		for (const sandbox of this.sandboxes) sandbox.setOptions(changed(this.dice));
	}

	private restartDue(): void {
		if (this.restarting !== undefined) return;
		const { parts } = this.n8n;
		// Restarts it, as a service manager does. For example, a worker gives up when Redis is gone for ten seconds.
		const ended = parts.find(({ process }) => !process.isRunning);
		if (ended !== undefined) return this.restart(ended, 'stop', 'ended by itself');
		if (this.isCalm || this.now < this.restartAt) return;
		if (this.ends.length === 0)
			this.ends = this.dice.shuffled(parts.flatMap((part) => ENDS.map((how) => ({ part, how }))));
		const next = this.ends.pop();
		if (next !== undefined) this.restart(next.part, next.how);
	}

	private restart(part: Part, how: End, why = how === 'kill' ? 'kill -9' : 'SIGTERM'): void {
		this.tally.restarts.push(`${part.name} ${why}`);
		this.say(`${part.name}: ${why}`);
		this.restarting = restart(part, how)
			.then(() => this.say(`${part.name} is back`))
			.catch((error) => (this.failure = error as Error))
			.finally(() => {
				this.restarting = undefined;
				this.pauseBeforeEnd();
			});
	}

	private pauseBeforeEnd(): void {
		const [least, most] = this.n8n.parts.length === 1 ? [25_000, 50_000] : [10_000, 25_000];
		this.restartAt = this.now + this.dice.number(least, most);
	}

	private calmDown(): void {
		if (this.isCalm || this.now < this.settings.lastsMs || this.restarting !== undefined) return;
		this.isCalm = true;
		for (const run of this.runs) run.retriesLeft = MOST_CALM_RETRIES;
		for (const sandbox of this.sandboxes) {
			sandbox.faults.clear();
			sandbox.setOptions(CALM);
		}
		this.say('calm');
	}

	/** Runs the storm until all runs are over. */
	async pass(): Promise<void> {
		this.begin = Date.now();
		this.pauseBeforeEnd();
		let told = 0;
		for (;;) {
			if (this.failure !== undefined) throw this.failure;
			this.changeServices();
			this.restartDue();
			this.calmDown();
			await this.startDue();
			const isSeen = await this.look();
			if (isSeen) this.retryFailed();
			const over = this.runs.filter((run) => this.isOver(run)).length;
			if (this.now - told > 20_000) {
				told = this.now;
				this.say(`${over} of ${this.runs.length} over`);
			}
			if (isSeen && this.isCalm && over === this.runs.length) break;
			if (this.isCalm && this.now > this.settings.lastsMs + LONGEST_CALM_MS) {
				this.isCutShort = true;
				break;
			}
			await sleep(TICK_MS);
		}
		await this.restarting;
	}
}
