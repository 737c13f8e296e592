import type { IRun } from 'n8n-workflow';

import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { beside, collectingInLoop, itemsOf } from './collecting';
import { nodeType, runWorkflow, type Scenario } from './harness';
import { asleepFor, resumeByTimer, saved } from './resume';
import { valuesPerJob } from './common';
import { now, time } from './virtualClock';
import { node } from './workflow';

const ITEMS = 20;
const HOUR_MS = 3_600_000;

/** Puts out every item as a new one with one more field, as Edit Fields does. */
const copy = nodeType('copy', async function () {
	return [
		this.getInputData().map(({ json }, item) => ({
			json: { ...structuredClone(json), copied: true },
			pairedItem: { item },
		})),
	];
});

export interface Loop {
	values: number;
	valuesPerJob: number;
	/** Whether a node in the loop copies its items. */
	copies: boolean;
	/** How long its jobs take. */
	hours: number;
}

/** The Wait loop for this many values in twenty items. */
function loopOf(sandbox: Sandbox, { values, valuesPerJob: most, copies }: Loop): Scenario {
	const terms = Array.from({ length: values / ITEMS }, (_, index) => index);
	const input = Array.from({ length: ITEMS }, (_, item) =>
		terms.map((term) => `notfound-${item}-${term}`).join('\n'),
	);
	const base = collectingInLoop(sandbox, itemsOf(...input), {}, {}, {}, valuesPerJob(most));
	if (!copies) return base;
	const outputs = ['Done', 'Copy', 'Failed'];
	return beside(base, [node('Copy', 'copy')], { Prices: outputs, Copy: ['Wait'], Wait: outputs }, { copy });
}

/**
 * Waits until all jobs are over, and returns how many bytes n8n saved at each suspension. The nodes and the sandbox use
 * the virtual clock.
 */
export async function waitInLoop(sandbox: Sandbox, loop: Loop): Promise<{ run: IRun; sizes: number[] }> {
	const { values, hours } = loop;
	sandbox.reset();
	sandbox.setOptions({ autoFinish: false, maxValues: values, freeCredits: 10 * values });
	const scenario = loopOf(sandbox, loop);
	const end = now() + hours * HOUR_MS;
	const sizes: number[] = [];
	let run = await runWorkflow(scenario);
	while (run.data.waitTill !== undefined) {
		sizes.push(Buffer.byteLength(saved(run)));
		time.skip(asleepFor(run));
		if (now() > end) for (const { job_id } of sandbox.jobs) sandbox.finishJob(job_id);
		run = await resumeByTimer(scenario, run);
	}
	return { run, sizes };
}

/** What each round adds. The round of `collect` itself is left out. */
export function growthOf(sizes: readonly number[]): number[] {
	return sizes.slice(2).map((size, round) => size - (sizes[round + 1] ?? 0));
}
