// The chaos suite: npm run test:chaos -- --seed=… --jobs=300 --mode=regular --minutes=5
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { audit, type Evidence, type Heard, type LedgerJob } from './auditor.ts';
import { readExecution } from './executions.ts';
import { HEARD_ACCOUNT } from './plan.ts';
import { historyOf, table } from './report.ts';
import { Storm } from './storm.ts';
import { MODES, type Mode } from './underTest.ts';

const { values: flags } = parseArgs({
	options: {
		seed: { type: 'string', default: String(Date.now() % 1_000_000) },
		jobs: { type: 'string', default: '300' },
		mode: { type: 'string', default: 'regular' },
		/** How long things go wrong, in minutes. */
		minutes: { type: 'string', default: '5' },
		/** Leaves n8n's folder behind, with its log and database. */
		keep: { type: 'boolean', default: false },
	},
});

const isMode = (mode: string): mode is Mode => Object.hasOwn(MODES, mode);

function ledgerOf(storm: Storm): LedgerJob[] {
	return storm.sandboxes.flatMap((sandbox, service) =>
		sandbox.jobs.map((job) => ({
			...job,
			service,
			account: job.owner === sandbox.options.secondApiKey ? 1 : 0,
			results: sandbox.resultsOf(job.job_id),
		})),
	);
}

async function main(): Promise<boolean> {
	const { seed, mode } = flags;
	if (!isMode(mode)) throw new RangeError(`--mode is one of ${Object.keys(MODES).join(', ')}`);
	const settings = {
		seed,
		jobs: Number(flags.jobs),
		lastsMs: Number(flags.minutes) * 60_000,
		say: (text: string) => console.log(text),
	};
	console.log(`chaos: --seed=${seed} --jobs=${flags.jobs} --mode=${mode} --minutes=${flags.minutes}`);
	const began = Date.now();
	const n8n = await MODES[mode]();
	const storm = new Storm(n8n, settings);
	try {
		await storm.prepare();
		console.log(`chaos: ${storm.runs.length} workflows, n8n's folder is ${n8n.folder}`);
		await storm.pass();
		const listened = await storm.listen();
		const heard = [...listened].map(([{ kind, service }, executions]): Heard => ({
			kind,
			service,
			account: HEARD_ACCOUNT,
			executions,
		}));
		const evidence: Evidence = { stories: [], jobs: ledgerOf(storm), heard };
		for (const { one, executions } of storm.runs) {
			const stored = [];
			for (const listed of executions) stored.push(await readExecution(n8n.client, listed));
			evidence.stories.push({ one, executions: stored });
		}
		const findings = audit(evidence);
		for (const about of new Set(findings.map((finding) => finding.about.join(', ')))) {
			const those = findings.filter((finding) => finding.about.join(', ') === about);
			console.log(`\n${about}`);
			for (const { kind, text } of those) console.log(`${kind}: ${text}`);
			console.log(
				those
					.slice(0, 1)
					.map((finding) => historyOf(finding, evidence, storm))
					.join(''),
			);
		}
		for (const { one, executions } of evidence.stories) {
			const last = executions.at(-1);
			if (last?.status !== 'success')
				console.log(`\n${one.name} stopped: ${last?.status} ${last?.error}`);
		}
		const seconds = Math.round((Date.now() - began) / 1000);
		console.log(`\n${table(storm, evidence, findings, { seed, mode, seconds })}`);
		if (flags.keep) {
			mkdirSync(n8n.folder, { recursive: true });
			writeFileSync(path.join(n8n.folder, 'evidence.json'), JSON.stringify(evidence));
		}
		return findings.length === 0 && !storm.isCutShort;
	} finally {
		for (const sandbox of storm.sandboxes) await sandbox.close();
		await (flags.keep ? n8n.stop() : n8n.remove());
	}
}

main().then(
	(isGood) => process.exit(isGood ? 0 : 1),
	(error) => {
		console.error(error);
		process.exit(1);
	},
);
