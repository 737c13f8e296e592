import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	INodeType,
	IRun,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import type { InspectedJob } from '../../fakes/sandbox/inspection';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { beside, collecting, collectingInLoop, outputsOf } from '../support/collecting';
import { createJob } from '../support/core';
import { nodeType, startWorkflow, type Scenario } from '../support/harness';
import { resumeByTimer, resumeByUrl, retryAfterKill, retryByHand } from '../support/resume';
import { CREATIONS, DRIFTS, MISTYPED, OWN_WORDS, type History, type Step } from './history';
import { credentialFor, TYPE, valuesPerJob } from '../support/common';
import { now, time } from '../support/virtualClock';
import { node } from '../support/workflow';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** More jobs than a service shows that lists only its newest ones. */
const CROWD = 25;
/** The defaults of Max Wait. */
const MAX_WAIT_MINUTES = { poll: 10, durable: 1440, webhook: 1440 };

/** A job, and the round and execution in which the node created it. */
export interface OwnJob {
	job: InspectedJob;
	round: number;
	executionId: string;
	/** The node's items in that round. */
	items: number[];
}

/** Everything that happened in a history. */
export interface Played {
	history: History;
	/** The saved states of each execution in the chain, the last one last. */
	executions: IRun[][];
	own: OwnJob[];
	/** The jobs whose end the service has shown to the node. */
	knownOver: ReadonlySet<string>;
	/** What is wrong with a suspension, in words. */
	stranded: string[];
	/** Whether somebody stopped an execution of the chain. */
	wasStopped: boolean;
	/** Whether n8n was killed at the end of an execution, so that only its jobs are left. */
	isKilled: boolean;
}

/**
 * Puts out the items of its first run once per round, linked to their source, after some minutes: all of them by its
 * first output, or half of them by each of two.
 */
function repeater({ queued, rounds, timeout }: History): INodeType {
	const minutes = timeout?.used ?? 0;
	const outputs = queued === 'twice' ? (['main', 'main'] as const) : (['main'] as const);
	const repeat: INodeType['execute'] = async function () {
		const kept = this.getContext('node');
		kept.items ??= this.getInputData().map(({ json }) => json);
		kept.source ??= this.getInputSourceData();
		if (kept.done === undefined && minutes > 0) time.skip(minutes * MINUTE_MS);
		kept.done = Number(kept.done ?? 0) + 1;
		if (kept.done > rounds) return outputs.map(() => []);
		const sourceOverwrite = kept.source as ReturnType<IExecuteFunctions['getInputSourceData']>;
		const items = (kept.items as IDataObject[]).map((json, item) => ({
			json,
			pairedItem: { item, sourceOverwrite },
		}));
		const size = Math.ceil(items.length / outputs.length);
		return outputs.map((_, index) => items.slice(index * size, (index + 1) * size));
	};
	return nodeType('repeat', repeat, { outputs: [...outputs] });
}

/** Names each job a second time, see `namedAgain`. */
function namesAgain(how: NonNullable<History['namedAgain']>): INodeType {
	return nodeType('twice', async function () {
		const items = this.getInputData().map(({ json }, item) => ({ json, pairedItem: { item } }));
		const again = items.map(({ json, pairedItem }) => ({
			json: how === 'tickets' ? structuredClone(json) : { job_id: json.job_id },
			pairedItem,
		}));
		return [how === 'before' ? [...again, ...items] : [...items, ...again]];
	});
}

/** Values for fields of fixed types, as an expression may return them. */
function ofKind(kinds: History['kinds'], fields: Record<string, boolean | number | string>): INodeParameters {
	if (kinds === 'plain') return fields;
	const given = (value: unknown) => JSON.stringify(kinds === 'texts' ? String(value) : [value]);
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [name, `={{ ${given(value)} }}`]),
	);
}

/** The workflow of a history. */
function scenarioOf(sandbox: Sandbox, history: History, secret: string): Scenario {
	const { key, items, waitMode, wiring, output, onError, retryOnFail, maxWait } = history;
	const { grouping, maxValuesPerJob, kinds, namedAgain, onDeadline, timeout } = history;
	const options: INodeParameters = ofKind(kinds, { grouping, includeNotFound: true });
	const maxAge = DRIFTS[history.drift];
	if (maxAge !== undefined) options.maxAge = maxAge;
	const waitOptions = ofKind(kinds, { onDeadline, ...(maxWait !== undefined && { maxWait }) });
	const more: Partial<INode> = { onError, retryOnFail, maxTries: 2, waitBetweenTries: 1 };
	const input = items.map((values, index) => ({
		id: `item ${index}`,
		values: values.join('\n'),
		throws: index === history.throwsAt,
	}));
	const parameters: INodeParameters = {
		...ofKind(kinds, { lookupKey: key, waitMode, output, useTestSource: false }),
		values: `={{ $json.throws ? $('Nowhere').first().json.values : $json.values }}`,
		...{ options, waitOptions },
	};
	const isLoose = wiring === 'loose';
	const base = isLoose
		? collecting(sandbox, input, parameters, more)
		: collectingInLoop(sandbox, input, parameters, { output, waitOptions }, more);
	// n8n follows the branch that is higher up first, so rows are looked at before the next round begins.
	const repeat = node('Repeat', 'repeat', {}, { position: [0, 1000] });
	const taker = isLoose ? 'Running' : 'Wait';
	const second = outputsOf(base, 'Prices').length > 1 ? [namedAgain ? 'Twice' : taker] : [];
	const wires = {
		Items: ['Repeat'],
		Repeat: history.queued === 'twice' ? ['Prices', 'Prices'] : ['Prices'],
		Prices: [['Done', 'Repeat'], ...second, 'Failed'],
		...(namedAgain && { Twice: [taker] }),
		...(!isLoose && { Wait: [['Done', 'Repeat'], ['Wait', 'Running'], 'Failed'] }),
	};
	const scene = beside(base, [repeat, ...(namedAgain ? [node('Twice', 'twice')] : [])], wires, {
		repeat: repeater(history),
		...(namedAgain && { twice: namesAgain(namedAgain) }),
	});
	const { contents, executionOrder, lookupValues } = history;
	const customized = {
		...{ ...valuesPerJob(maxValuesPerJob), lookupValues, webhookSecret: secret },
		...(contents && { fieldNamesText: contents.fieldNamesText }),
		...(history.words === 'told' && OWN_WORDS.credential),
	};
	const credential = credentialFor(sandbox, customized) as ICredentialDataDecryptedObject;
	const disabled = wiring === 'disabled';
	return {
		...scene,
		credentials: { priceCollectionApi: credential },
		nodes: scene.nodes.map((one) => (one.name === 'Wait' ? { ...one, disabled } : one)),
		settings: { executionOrder, ...(timeout && { executionTimeout: timeout.minutes * 60 }) },
	};
}

/** Plays a history with n8n's engine and the sandbox. */
class Play {
	readonly played: Played;

	private secret: string;

	private executionId = 1;

	/** When the current stretch of the execution began: n8n's process started or woke it. */
	private began = 0;

	private readonly steps: Step[];

	private readonly creators = new Map<string, Omit<OwnJob, 'job'>>();

	/** The job that another user asked for during our creation. */
	private besides?: string;

	constructor(
		private readonly sandbox: Sandbox,
		private readonly history: History,
	) {
		this.secret = history.secret;
		this.steps = [...history.steps];
		const flags = { wasStopped: false, isKilled: false };
		this.played = { history, executions: [], own: [], knownOver: new Set(), stranded: [], ...flags };
	}

	private get scenario(): Scenario {
		const scenario = scenarioOf(this.sandbox, this.history, this.secret);
		const type = scenario.nodeTypes[TYPE];
		if (type === undefined) throw new Error('The scenario lacks the node');
		const { sandbox, creators, began } = this;
		const { timeout } = this.history;
		const observed: INodeType = Object.create(type) as INodeType;
		const isForeign = (jobId: string) => jobId === this.besides;
		observed.execute = async function () {
			const before = new Set(sandbox.jobs.map(({ job_id }) => job_id));
			const { $runIndex } = this.getWorkflowDataProxy(0) as unknown as IDataObject;
			const { additionalData } = this as unknown as { additionalData: IWorkflowExecuteAdditionalData };
			// n8n's process sets this for each stretch.
			if (timeout !== undefined)
				additionalData.executionTimeoutTimestamp = began + timeout.minutes * MINUTE_MS;
			const items = this.getInputData().map(({ json }) =>
				Number(/^item (\d+)$/.exec(String(json.id))?.[1]),
			);
			try {
				return (await type.execute?.call(this)) ?? null;
			} finally {
				for (const { job_id } of sandbox.jobs) {
					if (before.has(job_id) || isForeign(job_id)) continue;
					const executionId = this.getExecutionId();
					creators.set(job_id, { round: Number($runIndex), executionId, items });
				}
			}
		};
		return {
			...scenario,
			executionId: String(this.executionId),
			// n8n keeps the mode when it wakes the execution.
			...(this.executionId > 1 && { mode: 'retry' }),
			nodeTypes: { ...scenario.nodeTypes, [TYPE]: observed },
		};
	}

	/** Another user of the account asks for the same. */
	private async twin(more: IDataObject = {}): Promise<void> {
		const values = [...new Set(this.history.items.flat())];
		const sound = values.filter((value) => value !== '' && value !== MISTYPED);
		const each = sound.map((value) => [value]);
		await this.askElsewhere(sound.length > 1 ? [sound, ...each] : each, more);
	}

	/** Another user of the account asks for many other things: more than a page of the list. */
	private async crowd(): Promise<void> {
		const valueOf = (index: number) =>
			this.history.key === 'gtin' ? String(50123456789000 + index) : `something else ${index}`;
		await this.askElsewhere(Array.from({ length: CROWD }, (_, index) => [valueOf(index)]));
	}

	private async askElsewhere(jobs: string[][], more: IDataObject = {}): Promise<void> {
		const { key } = this.history;
		const { faults } = this.sandbox;
		const { rules } = faults;
		faults.clear();
		this.sandbox.setOptions({ createDelayMs: 0 });
		for (const some of jobs) {
			const [form, list] =
				this.sandbox.options.lookupValues === 'value'
					? ['value', some.slice(0, 1)]
					: ['values', some];
			// The reply may be empty.
			if (list.length > 0)
				await createJob(this.sandbox, { key, [form]: list.join('\n'), ...more }).catch(() => {});
		}
		faults.rules = rules;
		this.sandbox.setOptions({ createDelayMs: this.history.service.createDelayMs ?? 0 });
	}

	/** Faults go by the number of the request, whichever execution sends it. */
	private breakThings(): void {
		const { creations, faults } = this.history;
		for (const [index, name] of creations.entries()) {
			const fault = CREATIONS[name];
			if (fault === undefined) continue;
			const match = { method: 'POST', pathPattern: '^/v2/jobs$', nth: index + 1 };
			this.sandbox.faults.add({ match, fault });
		}
		for (const fault of [...faults, ...this.history.odd]) this.sandbox.faults.add(fault);
	}

	/** Records the outcome of a stretch, and whether n8n would have ended it for taking too long. */
	private note(run: IRun): IRun {
		const { timeout } = this.history;
		const took = now() - this.began;
		if (timeout !== undefined && took > timeout.minutes * MINUTE_MS) {
			this.played.stranded.push(`runs for ${took} ms, after which n8n has ended it`);
		}
		this.played.executions.at(-1)?.push(run);
		return run;
	}

	/** Begins the first execution, and stops it if the history says so. */
	private async start(): Promise<IRun> {
		const { stopAfter = Infinity } = this.history;
		this.played.executions.push([]);
		this.began = now();
		const { run, cancel } = await startWorkflow({ ...this.scenario, startsAt: this.began });
		const end = time.skipped + stopAfter * 1000;
		const stop = () => {
			if (time.skipped < end || this.played.wasStopped) return;
			this.played.wasStopped = true;
			cancel();
		};
		time.listeners.add(stop);
		return this.note(await run.finally(() => time.listeners.delete(stop)));
	}

	/** Milliseconds until n8n resumes the run by itself. */
	private left(run: IRun): number {
		return Math.max(0, Number(run.data.waitTill?.getTime()) - time.base() - time.skipped);
	}

	private async byTimer(run: IRun): Promise<IRun> {
		time.skip(this.left(run));
		this.began = now();
		return this.note(await resumeByTimer(this.scenario, run));
	}

	/** The jobs that call this execution back, ended or not. */
	private get calling(): InspectedJob[] {
		return this.sandbox.jobs.filter(({ webhookUrl }) =>
			webhookUrl?.includes(`/webhook-waiting/${this.executionId}/`),
		);
	}

	private async callback(run: IRun, { webhookUrl, job_id }: InspectedJob, how = 'genuine'): Promise<IRun> {
		const url = new URL(String(webhookUrl));
		if (how === 'forged') url.searchParams.set('pc_signature', 'f'.repeat(64));
		const body = how === 'bare' ? {} : { job_id: how === 'foreign' ? 'of-somebody-else' : job_id };
		this.began = now();
		const reply = await resumeByUrl(this.scenario, run, url.href, { body });
		return reply.status === 200 && reply.run !== undefined ? this.note(reply.run) : run;
	}

	private async take(step: Step, run: IRun): Promise<IRun> {
		switch (step.step) {
			case 'pass': {
				const passing = step.minutes * MINUTE_MS;
				if (passing >= this.left(run)) return await this.byTimer(run);
				time.skip(passing);
				return run;
			}
			case 'newSecret':
				this.secret = `${this.secret === '' ? 'first' : this.secret} and changed`;
				return run;
			case 'callback': {
				const { calling } = this;
				const job = calling[step.job % Math.max(1, calling.length)];
				if (job === undefined) return run;
				if (step.isOver) this.sandbox.finishJob(job.job_id);
				let next = run;
				for (let count = 0; count < step.times; count++) {
					if (next.data.waitTill !== undefined) next = await this.callback(next, job, step.how);
				}
				return next;
			}
		}
	}

	/** Ends every job, and lets the service report it and write the results. */
	private endJobs(): void {
		for (const { job_id, state } of this.sandbox.jobs) {
			if (state === 'running') this.sandbox.finishJob(job_id);
		}
		time.skip(this.sandbox.options.statusDelayMs);
	}

	/** Calls back for all jobs, which are over. Nothing may sleep on because of them. */
	private async callAll(suspended: IRun): Promise<IRun> {
		const roundOf = ({ data: { resultData, waitTill } }: IRun) =>
			waitTill !== undefined &&
			resultData.lastNodeExecuted === 'Prices' &&
			resultData.runData.Prices?.length;
		const round = roundOf(suspended);
		let run = suspended;
		const { calling } = this;
		/** Its results are late: the run knows of its end, and looks again by itself. */
		const isLate = ({ job_id }: InspectedJob) =>
			this.sandbox.requests.some(({ path }) => path.endsWith(`/${job_id}/download`));
		for (const job of calling) {
			run = await this.callback(run, job);
			if (roundOf(run) !== round) return run;
		}
		const hasReason = this.history.words === 'unknown' || calling.every(isLate);
		if (!hasReason) this.played.stranded.push('sleeps on after the callbacks of all jobs');
		return run;
	}

	/** Only what must happen still happens to a suspended run: jobs end, callbacks come or not, timers ring. */
	private async drain(suspended: IRun): Promise<IRun> {
		const { history, played, sandbox } = this;
		let run = suspended;
		sandbox.faults.clear();
		const longest = (history.maxWait ?? MAX_WAIT_MINUTES[history.waitMode]) * MINUTE_MS + 3 * MINUTE_MS;
		// More for a job that seems to run until the deadline, and again in Wait.
		const each = 4 + (history.words === 'unknown' ? 2 * (history.maxWait ?? 0) : 0);
		const most =
			each * history.rounds * (history.queued === 'twice' ? 2 : 1) +
			2 +
			(history.service.resultsDelayMs ?? 0) / MINUTE_MS;
		for (let timers = 0; run.data.waitTill !== undefined; timers++) {
			this.endJobs();
			const last = run.data.resultData.lastNodeExecuted;
			if (history.callbacksCome && last === 'Prices' && history.waitMode === 'webhook') {
				run = await this.callAll(run);
				if (run.data.waitTill === undefined) break;
				this.endJobs();
			}
			if (this.left(run) > longest) played.stranded.push(`sleeps for ${this.left(run)} ms`);
			if (timers > most) {
				played.stranded.push(
					`is suspended for the ${timers}th time by ${last} although all jobs are over`,
				);
				return run;
			}
			run = await this.byTimer(run);
		}
		return run;
	}

	/** Continues a suspended run until it ends. */
	private async untilEnd(begun: IRun): Promise<IRun> {
		let run = begun;
		for (let step = this.steps.shift(); step !== undefined; step = this.steps.shift()) {
			if (run.data.waitTill === undefined) {
				this.steps.unshift(step);
				return run;
			}
			run = await this.take(step, run);
		}
		return run.data.waitTill === undefined ? run : await this.drain(run);
	}

	/**
	 * Removes the latest execution if it was never suspended, because n8n then stores nothing of it. Returns whether it
	 * did.
	 */
	private isForgotten(): boolean {
		const states = this.played.executions.at(-1) ?? [];
		if (states.some(({ data }) => data.waitTill !== undefined)) return false;
		// Its messages are lost.
		this.played.executions.pop();
		this.played.isKilled = true;
		return true;
	}

	/**
	 * Lets time pass while a creation is under way, because no pause would end it. Meanwhile, another user asks for the
	 * same as the first creation.
	 *
	 * @returns ends it
	 */
	private passBesideCreations(): () => void {
		const { sandbox, history } = this;
		if (!history.service.createDelayMs) return () => {};
		const timer = setInterval(() => {
			if (sandbox.delayed === 0) return;
			const job = history.twinBeside ? sandbox.jobs.at(-1) : undefined;
			if (job !== undefined && this.besides === undefined && job.createdAt >= this.began) {
				const { topic, source, country, key, values } = job;
				const form = sandbox.options.lookupValues === 'value' ? 'value' : 'values';
				const order = { topic, source, country, key, [form]: values.join('\n') };
				this.besides = sandbox.createJob(order);
			}
			time.skip(history.service.createDelayMs! > 3_000 ? 5_000 : 1_000);
		}, 2);
		return () => clearInterval(timer);
	}

	/** The jobs whose status was requested after the service showed their end. */
	private toldOver(): Set<string> {
		const { jobs, options, requests } = this.sandbox;
		const isTold = ({ job_id, endedAt }: InspectedJob) =>
			endedAt !== null &&
			requests.some(
				({ at, path, replyStatus, fault }) =>
					path.endsWith(`/${job_id}`) &&
					at > endedAt + options.statusDelayMs &&
					[replyStatus, fault].join() === '200,',
			);
		return new Set(jobs.filter(isTold).map(({ job_id }) => job_id));
	}

	async toTheEnd(): Promise<Played> {
		const end = this.passBesideCreations();
		return await this.go().finally(end);
	}

	private async go(): Promise<Played> {
		const { sandbox, history, played } = this;
		sandbox.setOptions({
			// The audit needs all jobs, however long a history lasts.
			retentionMs: 1e12,
			...history.service,
			...(history.words !== 'known' && OWN_WORDS.service),
			...(history.contents && { market: history.contents.market }),
		});
		for (const seconds of history.twinsBefore) {
			await this.twin();
			time.skip(seconds * 1000);
		}
		if (history.twinBeside) await this.twin({ max_pages: 5 });
		this.breakThings();
		const startedAt = now();
		let run = await this.untilEnd(await this.start());
		let retry = async (id: string) => (await retryByHand(this.scenario, run, id)).run;
		const { killed } = history;
		if (killed !== undefined && history.retries.length > 0 && this.isForgotten()) {
			const beginnings = { known: startedAt, unknown: undefined, 'days ago': startedAt - 25 * HOUR_MS };
			const begun = beginnings[history.beginning];
			retry = async (id) => await retryAfterKill(this.scenario, id, begun, killed);
		}
		for (const [index, { minutes, twin, crowd, isRepaired, isKilled }] of history.retries.entries()) {
			const stack = run.data.executionData?.nodeExecutionStack ?? [];
			const isOver = run.status === 'success' || stack.length === 0;
			if (isOver && played.executions.length > 0) break;
			time.skip(minutes * MINUTE_MS);
			if (isRepaired) sandbox.faults.clear();
			if (twin) {
				await this.twin();
				// Keeps the requests apart in time from those of the run.
				time.skip(20_000);
			}
			if (crowd) await this.crowd();
			this.executionId++;
			played.executions.push([]);
			this.began = now();
			const again = this.note(await retry(String(this.executionId)));
			const retried = await this.untilEnd(again);
			// The next retry starts from the same state as this one.
			if (isKilled && index < history.retries.length - 1 && this.isForgotten()) continue;
			run = retried;
			retry = async (id) => (await retryByHand(this.scenario, run, id)).run;
		}
		played.knownOver = this.toldOver();
		played.own = sandbox.jobs.flatMap((job) => {
			const creator = this.creators.get(job.job_id);
			return creator === undefined ? [] : [{ job, ...creator }];
		});
		return played;
	}
}

/** Plays a history, starting with an empty service. */
export async function play(sandbox: Sandbox, history: History): Promise<Played> {
	sandbox.reset();
	// A day later, no budget of an earlier history counts.
	time.skip(24 * 60 * MINUTE_MS);
	return await new Play(sandbox, history).toTheEnd();
}
