// The chaos suite: FC_SEED=… npm run test:chaos -- --jobs=300 --mode=regular --minutes=5
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { audit, isThrownAway, type Evidence, type Finding, type LedgerJob } from './auditor.ts';
import { readExecution } from './executions.ts';
import { Storm } from './storm.ts';
import { MODES, type Mode } from './underTest.ts';

const { values: flags } = parseArgs({
	options: {
		jobs: { type: 'string', default: '300' },
		mode: { type: 'string', default: 'regular' },
		/** How long things go wrong, in minutes. */
		minutes: { type: 'string', default: '5' },
		/** Leaves n8n's folder behind, with its log and database. */
		keep: { type: 'boolean', default: false },
	},
});

/** As in all generated tests, except that a storm without a seed is a new one. */
const { FC_SEED = 'random' } = process.env;
const seed = FC_SEED === 'random' ? String(Date.now() % 1_000_000) : FC_SEED;

const isMode = (mode: string): mode is Mode => Object.hasOwn(MODES, mode);

function ledgerOf({ sandboxes }: Storm): LedgerJob[] {
	return sandboxes.flatMap((sandbox, service) =>
		sandbox.jobs.map((job) => ({
			...job,
			service,
			account: job.owner === sandbox.options.secondApiKey ? 1 : 0,
			results: sandbox.resultsOf(job.job_id),
		})),
	);
}

/** How often each name occurs, as lines of text. */
function counted(title: string, names: string[]): string[] {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [title, ...[...counts].sort().map(([name, times]) => `  ${name.padEnd(36)} ${times}`)];
}

/** The figures of a storm. */
function tableOf({ sandboxes, tally }: Storm, { stories, jobs }: Evidence, findings: Finding[]): string {
	const requests = sandboxes.flatMap((sandbox) => sandbox.requests);
	const name = ({ method, path: asked }: { method: string; path: string }) =>
		`${method} ${asked.replace(/jobs\/[^/]+/, 'jobs/…')}`;
	return [
		...counted(
			`${stories.length} workflows, ${jobs.length} jobs, ${tally.retries} retries by hand`,
			stories.map(({ executions }) => executions.at(-1)?.status ?? 'never ran'),
		),
		...counted('restarts', tally.restarts),
		...counted(
			'faults',
			requests.flatMap((one) => (one.fault === null ? [] : [`${name(one)}: ${one.fault}`])),
		),
		`runs that n8n itself threw away: ${stories.filter(isThrownAway).length}`,
		...(['lost', 'doubled', 'mispaired'] as const).map(
			(kind) => `${kind}: ${findings.filter((one) => one.kind === kind).length}`,
		),
	].join('\n');
}

/** What happened to the cases of a finding: their settings, executions, jobs and requests, as lines of JSON. */
function historyOf({ about }: Finding, { stories, jobs }: Evidence, { sandboxes }: Storm): string {
	const parts = stories.flatMap(({ one, executions }): object[] => {
		if (!about.includes(one.name)) return [];
		const values = one.items.flatMap((item) => item.values.split('\n').filter(Boolean));
		const own = jobs.filter(
			(job) => job.service === one.service && job.values.some((value) => values.includes(value)),
		);
		const names = [...values, ...own.map(({ job_id }) => job_id)];
		const requests = (sandboxes[one.service]?.requests ?? []).filter(({ url, body }) =>
			names.some((name) => url.includes(name) || body.includes(name)),
		);
		return [
			one,
			...executions.map((execution) => ({ ...execution, text: undefined })),
			...own.map((job) => ({ ...job, results: undefined })),
			...requests.map(({ at, method, path: asked, replyStatus, fault }) => ({
				...{ at: new Date(at), method, asked, replyStatus, fault },
			})),
		];
	});
	return parts.map((part) => `  ${JSON.stringify(part)}`).join('\n');
}

async function main(): Promise<boolean> {
	const { mode, jobs, minutes } = flags;
	if (!isMode(mode)) throw new RangeError(`--mode is one of ${Object.keys(MODES).join(', ')}`);
	const again = `--jobs=${jobs} --mode=${mode} --minutes=${minutes}`;
	console.log(`chaos: FC_SEED=${seed} npm run test:chaos -- ${again}`);
	const n8n = await MODES[mode]();
	const storm = new Storm(n8n, { seed, jobs: Number(jobs), lastsMs: Number(minutes) * 60_000 });
	try {
		await storm.prepare();
		console.log(`chaos: ${storm.runs.length} workflows, n8n's folder is ${n8n.folder}`);
		await storm.pass();
		const evidence: Evidence = { stories: [], jobs: ledgerOf(storm) };
		for (const { one, executions } of storm.runs) {
			const stored = [];
			for (const listed of executions) stored.push(await readExecution(n8n.client, listed));
			evidence.stories.push({ one, executions: stored });
			const last = stored.at(-1);
			if (last?.status !== 'success')
				console.log(`${one.name} stopped: ${last?.status} ${last?.error}`);
		}
		const findings = audit(evidence);
		for (const finding of findings) {
			console.log(`\n${finding.kind}: ${finding.about.join(', ')}: ${finding.text}`);
			console.log(historyOf(finding, evidence, storm));
		}
		console.log(`\n${tableOf(storm, evidence, findings)}`);
		if (flags.keep) writeFileSync(path.join(n8n.folder, 'evidence.json'), JSON.stringify(evidence));
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
