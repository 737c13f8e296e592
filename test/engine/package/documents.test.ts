import { existsSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { blocksOf, PAGES, ROOT } from '../../support/documents';
import { startSandbox } from '../../fakes/sandbox/sandbox';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { itemsOf, runNode } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { items } from '../support/harness';
import { GTIN_PARAMETERS } from '../support/common';
import { time } from '../support/virtualClock';
import { node } from '../support/workflow';

/**
 * Every output that a page shows is what the node gives: a block of code behind `<!-- output: name -->` is compared with
 * what is made here under that name. The time of the node and of the service stands still but for pauses.
 */
const NOW = Date.parse('2026-11-21T03:19:16.000Z');

const GTIN = '4006381333931';

const collect = (more: INodeParameters = {}): INodeParameters => ({
	...GTIN_PARAMETERS,
	operation: 'collect',
	...more,
});

let sandbox: Sandbox;

useDedupeStore();
beforeAll(() => {
	time.base = () => NOW;
});

// A service of its own for each: IDs of jobs follow from the time and from the jobs before.
beforeEach(async () => {
	time.skipped = 0;
	sandbox = await startSandbox({ manualClock: true, jobDurationMs: 2_000 }, () => NOW);
	time.listeners.add((milliseconds) => sandbox.advance(milliseconds));
});

afterEach(async () => {
	time.listeners.clear();
	await sandbox.close();
});

const stillRunning = async () => {
	sandbox.setOptions({ jobDurationMs: 3_600_000 });
	const run = await runNode(sandbox, collect({ waitOptions: { maxWait: 1, onDeadline: 'stillRunning' } }), {
		input: [{ gtin: GTIN }],
	});
	return items(run, 'Prices', 1)[0];
};

const URL_OF_VERSION_1 = '=https://old.example.com/jobs/{{ $json.job_id }}';
const REQUEST = node('Status', 'n8n-nodes-base.httpRequest', { url: URL_OF_VERSION_1 });
const VERSION_1_WORKFLOW = {
	...{ name: 'Prices', nodes: [{ ...REQUEST, id: 'a', typeVersion: 4.2 }], connections: {} },
} as unknown as IDataObject;

/** What is shown, by its name on the pages. */
const OUTPUTS: Record<string, () => Promise<unknown>> = {
	'collect-results': async () => {
		sandbox.setOptions({ texts: 'everyday', jobDurationMs: 2_000 });
		const parameters = collect({ columns: 'main', ownPrice: '={{ $json.price }}' });
		return await itemsOf(sandbox, parameters, { input: [{ sku: 'A-1', gtin: GTIN, price: 45.9 }] });
	},
	'still-running': stillRunning,
	'convert-workflow': async () => {
		const parameters = {
			...{ resource: 'migration', operation: 'convertWorkflow', workflow: '={{ $json }}' },
			...{ baseUrl: 'https://api.example.com', legacyBaseUrl: 'https://old.example.com' },
		};
		return (await itemsOf(sandbox, parameters, { input: [VERSION_1_WORKFLOW] }))[0];
	},
	'error-output': async () => {
		const run = await runNode(sandbox, collect({ operation: 'create' }), {
			input: [{ sku: 'A-1', gtin: '4006381333932' }],
			node: { onError: 'continueErrorOutput' },
		});
		return items(run, 'Prices', 1)[0];
	},
};

/** What of an output is shown must be there, in this order; `…` at the end of a text or a list leaves the rest out. */
function expectShortened(shown: unknown, real: unknown, where: string): void {
	if (Array.isArray(shown)) {
		const isOpen = shown.at(-1) === '…';
		const list = isOpen ? shown.slice(0, -1) : shown;
		expect([
			where,
			Array.isArray(real) && (isOpen ? real.length > list.length : real.length === list.length),
		]).toEqual([where, true]);
		list.forEach((entry, index) =>
			expectShortened(entry, (real as unknown[])[index], `${where}[${index}]`),
		);
	} else if (typeof shown === 'object' && shown !== null) {
		const all = Object.keys((real ?? {}) as object);
		const names = Object.keys(shown);
		expect([where, all.filter((name) => names.includes(name))]).toEqual([where, names]);
		for (const [name, value] of Object.entries(shown))
			expectShortened(value, (real as IDataObject)[name], `${where}.${name}`);
	} else if (typeof shown === 'string' && shown.endsWith('…')) {
		expect([where, String(real).slice(0, shown.length - 1)]).toEqual([where, shown.slice(0, -1)]);
	} else {
		expect([where, real]).toEqual([where, shown]);
	}
}

const shown = PAGES.flatMap(blocksOf).filter(({ output }) => output !== undefined);

test.each(shown.map(({ page, output = '', text }) => [page, output, text]))(
	'%s shows the output %s as it is',
	async (page, name, text) => {
		const real = await OUTPUTS[name]?.();
		expect([name, real === undefined]).toEqual([name, false]);
		expectShortened(JSON.parse(text), real, `${page} ${name}`);
	},
);

test('no output is made that no page shows', () => {
	const names = new Set(shown.map(({ output }) => output));
	expect(Object.keys(OUTPUTS).filter((name) => !names.has(name))).toEqual([]);
});

test('the check that every promise of the pages has its tests is not missing', () => {
	expect(existsSync(path.join(ROOT, 'test/unit/docs/guards.test.ts'))).toBe(true);
});
