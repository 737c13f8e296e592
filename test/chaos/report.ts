import type { Sandbox } from '../sandbox/sandbox.ts';
import { isThrownAway, type Evidence, type Finding, type Kind } from './auditor.ts';
import type { Storm } from './storm.ts';

const KINDS: Kind[] = ['lost', 'doubled', 'mispaired'];

function counted(names: Iterable<string>): Array<[string, number]> {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].sort(([left], [right]) => left.localeCompare(right));
}

function endpointOf(method: string, path: string): string {
	if (method === 'POST') return 'create';
	if (path.endsWith('/download')) return 'download';
	return path === '/v2/jobs' ? 'list' : 'status';
}

/** The faults that were played, by endpoint and kind. */
const faultsOf = (sandboxes: Sandbox[]) =>
	counted(
		sandboxes.flatMap(({ requests }) =>
			requests.flatMap(({ method, path, fault }) =>
				fault === null ? [] : [`${endpointOf(method, path)}: ${fault}`],
			),
		),
	);

const line = (name: string, value: number | string) => `  ${name.padEnd(36)} ${String(value).padStart(7)}`;

/** The figures of a storm as a table of text. */
export function table(
	storm: Storm,
	evidence: Evidence,
	findings: Finding[],
	{ seed, mode, seconds }: { seed: string; mode: string; seconds: number },
): string {
	const { stories, jobs, heard } = evidence;
	const ends = stories.map(({ executions }) => executions.at(-1)?.status ?? 'never ran');
	const triggered = heard.reduce((sum, { executions }) => sum + executions.length, 0);
	const executions = stories.reduce((sum, story) => sum + story.executions.length, 0);
	const creations = storm.sandboxes.flatMap(({ requests }) =>
		requests.filter(({ method, path }) => method === 'POST' && path === '/v2/jobs'),
	).length;
	return [
		`Chaos, ${mode} mode, seed ${seed}`,
		line('workflows', stories.length),
		...counted(ends).map(([name, times]) => line(`  ended as ${name}`, times)),
		line('jobs', jobs.length),
		line('creations asked for', creations),
		line(
			'values bought',
			new Set(jobs.flatMap(({ job_id, values }) => values.map((v) => job_id + v))).size,
		),
		line(
			'rows',
			stories.reduce((sum, one) => sum + (one.executions.at(-1)?.rows.length ?? 0), 0),
		),
		line('executions', executions),
		line('executions of triggers', triggered),
		line('retries by hand', storm.tally.retries),
		line('jobs cancelled by somebody', storm.tally.cancelled),
		'restarts',
		...[...storm.tally.restarts].sort().map(([name, times]) => line(`  ${name}`, times)),
		'faults',
		...faultsOf(storm.sandboxes).map(([name, times]) => line(`  ${name}`, times)),
		line('runs that n8n itself threw away', stories.filter(isThrownAway).length),
		...KINDS.map((kind) => line(kind, findings.filter((one) => one.kind === kind).length)),
		line('seconds', seconds),
	].join('\n');
}

const clock = (text: string | null) => text?.slice(11, 23) ?? '-';

/** What happened to the cases of a finding: their settings, executions, jobs and requests. */
export function historyOf({ about }: Finding, evidence: Evidence, storm: Storm): string {
	const stories = evidence.stories.filter(({ one }) => about.includes(one.name));
	return stories
		.map(({ one, executions }) => {
			const values = new Set(one.items.flatMap(({ values: lines }) => lines.split('\n')));
			values.delete('');
			const jobs = evidence.jobs.filter(
				(job) =>
					job.service === one.service &&
					job.account === one.account &&
					job.values.some((value) => values.has(value) || values.has(`0${value}`)),
			);
			const ids = jobs.map(({ job_id }) => job_id);
			const requests = (storm.sandboxes[one.service]?.requests ?? []).filter(
				({ url, body }) =>
					ids.some((id) => url.includes(id)) ||
					[...values].some((value) => body.includes(JSON.stringify(value).slice(1, -1))),
			);
			return [
				JSON.stringify(one),
				...executions.map(
					({ id, status, startedAt, stoppedAt, rows, failed, error }) =>
						`  execution ${id} ${status} ${clock(startedAt)}–${clock(stoppedAt)}, ${rows.length} rows, ${failed.length} failed ${error}`,
				),
				...jobs.map(
					({ job_id, status, values: held, createdAt }) =>
						`  job ${job_id} ${clock(new Date(createdAt).toISOString())} ${status}: ${held.join(', ')}`,
				),
				...requests.map(
					({ at, method, path, replyStatus, fault }) =>
						`  ${clock(new Date(at).toISOString())} ${method} ${path} ${replyStatus ?? 'no reply'} ${fault ?? ''}`,
				),
			].join('\n');
		})
		.join('\n');
}
