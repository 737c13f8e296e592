/**
 * Texts of strangers that are made to take long, beside harmless ones of the same size: what the code makes of a reply's
 * words, of a list's headers, of job IDs, and of all data that becomes items. Each reader gets runs of every character and
 * of the words that its patterns look for. Processor time of the fastest of several turns; a figure is that of the
 * hostile text divided by that of the harmless one.
 * Options: --kilobytes=1024 --turns=5
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { numberOption, printMachine, printTable, printTargets } from './support/report.mjs';

const SERVICE = fileURLToPath(new URL('../nodes/PriceCollection/service', import.meta.url));
const BYTES = numberOption('kilobytes', 1024) * 1024;
const TURNS = numberOption('turns', 5);
const MOST = 3;

/** Parts of which a hostile text repeats one: characters that patterns repeat, and what they begin with. */
const PARTS = [
	...[
		'a',
		'A',
		'0',
		'9',
		' ',
		'\n',
		'\t',
		'\0',
		'/',
		'\\',
		'.',
		'-',
		'_',
		'=',
		'%',
		'&',
		'?',
		'<',
		'>',
		'"',
		',',
		';',
	],
	...['webhook-waiting/', 'webhook-waiting%2F', 'signature=', 'pc_signature=', '?token=', '&api_key='],
	...[
		'no ',
		'not found ',
		'source ',
		'key ',
		'a1',
		'404 ',
		'<https://x>; rel=',
		'rel=next ',
		'é',
		'\u2028',
		'👍',
	],
];

async function bundle(folder) {
	const outfile = path.join(folder, 'service.cjs');
	await build({
		stdin: {
			contents: `
				export { readRetryAfter } from './pacing';
				export { pagingIn } from './jobList';
				export { refusalIn } from './refusal';
				export { isOfRunningJob } from './schemas';
				export { fileNameOf, oneLine, redactText, redactValue } from './text';
				export { timeOf } from './time';
				export { ENDPOINTS } from './types';
			`,
			resolveDir: SERVICE,
		},
		...{
			bundle: true,
			platform: 'node',
			target: 'node20',
			external: ['n8n-workflow'],
			outfile,
			logLevel: 'error',
		},
	});
	return createRequire(import.meta.url)(outfile);
}

/** Everything that reads outside text, with a text to read. */
function readersOf(service) {
	const { ENDPOINTS, pagingIn, redactText, refusalIn } = service;
	const secrets = ['a8F3kd92Lsp0xQ7z', 'a second/secret of the account'];
	const clock = { yieldToEventLoop: async () => undefined };
	const connection = {
		...{ base: 'https://h.test', origin: 'https://h.test', secrets },
		...{ authentication: 'queryParameter', parameterName: 'token' },
	};
	const judge = (value, status) =>
		refusalIn(
			{ status, body: { ok: true, format: 'json', value, head: '' }, excerpt: '' },
			ENDPOINTS.create,
			(text) => redactText(text, secrets),
		);
	return {
		'a refusal': (text) => judge({ success: false, reason: text, comment: text, parameter: text }, 400),
		'a refusal of any form': (text) =>
			judge({ status: 'error', [text]: text, errors: { [text]: [text] } }, 200),
		'a list': (text) =>
			pagingIn(
				{ data: [], next: text, next_cursor: text, total: text, [text]: text },
				{ link: text },
				connection,
			),
		'data of items': async (text) =>
			await service.redactValue({ job: { name: text, [text]: text } }, secrets, clock),
		'a text that is shown': (text) => service.oneLine(redactText(text, secrets), 500),
		'the name of a file': (text) => service.fileNameOf(text),
		'a status': (text) => service.isOfRunningJob({ status: text, data: { status: text } }),
		'a time': (text) => [service.timeOf(text), service.readRetryAfter(text, 0)],
	};
}

/** Milliseconds of processor time that a reader takes at least. */
async function least(reader, text) {
	let best = Infinity;
	for (let turn = 0; turn < TURNS; turn++) {
		const start = process.cpuUsage();
		await reader(text);
		const { user, system } = process.cpuUsage(start);
		best = Math.min(best, (user + system) / 1000);
	}
	return best;
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'hostile-'));
const readers = readersOf(await bundle(folder));
rmSync(folder, { recursive: true });
const sized = (part) => part.repeat(Math.ceil(BYTES / part.length)).slice(0, BYTES);
const harmless = sized('An ordinary sentence about a drill, for 12.90 EUR. ');
// What takes less than this is not measured, but noise.
const FLOOR_MS = 5;

console.log('# Hostile texts\n');
printMachine();
const rows = [];
for (const [name, reader] of Object.entries(readers)) {
	const usual = Math.max(await least(reader, harmless), FLOOR_MS);
	const taken = [];
	for (const part of PARTS) taken.push([(await least(reader, sized(part))) / usual, JSON.stringify(part)]);
	const [worst, part] = taken.sort(([a], [b]) => b - a)[0];
	rows.push([name, usual, worst, part]);
}
printTable(['what is read', 'harmless, ms', 'worst, times that', 'worst text, repeated'], rows);
const [[slowest, , measured]] = rows.toSorted(([, , one], [, , other]) => other - one);
printTargets([{ what: `the slowest of ${rows.length} readers, ${slowest}`, measured, most: MOST }]);
