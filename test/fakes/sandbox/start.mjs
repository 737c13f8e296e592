// Runs the sandbox by hand or for another process: node test/fakes/sandbox/start.mjs --port 8080 …
import { defaultOptions, optionFromText } from './options.ts';
import { startSandbox } from './sandbox.ts';

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Options from `SANDBOX_JOB_DURATION_MS=…` and `--job-duration-ms …`; flags win. */
function readOptions(flags, environment) {
	const options = {};
	const names = new Map(Object.keys(defaultOptions()).map((name) => [kebab(name), name]));
	for (const [flag, name] of names) {
		const text = environment[`SANDBOX_${flag.replaceAll('-', '_').toUpperCase()}`];
		if (text !== undefined) options[name] = optionFromText(name, text);
	}
	const queue = [...flags];
	while (queue.length > 0) {
		const [flag, inline] = queue.shift().replace(/^--/, '').split(/=(.*)/s);
		const name = names.get(flag);
		if (!name)
			throw new RangeError(`There is no option --${flag}. Options: ${[...names.keys()].join(', ')}`);
		options[name] = optionFromText(name, inline ?? queue.shift() ?? '');
	}
	return options;
}

const CREATE = '{"topic":"search","source":"test","country":"us","key":"term","value":"kettle"}';

try {
	const sandbox = await startSandbox(readOptions(process.argv.slice(2), process.env));
	console.log(`sandbox ready at ${sandbox.url}`);
	console.log(`key           ${sandbox.apiKey}`);
	console.log(`foreign host  ${sandbox.otherOriginUrl}`);
	console.log('');
	console.log(`curl -H 'content-type: application/json' -d '${CREATE}' \\`);
	console.log(`  '${sandbox.url}/v2/jobs?token=${sandbox.apiKey}'`);
	console.log(`curl '${sandbox.url}/v2/jobs?token=${sandbox.apiKey}'`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.close());
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
