import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

import * as changelog from '../../tools/changelog.cjs';

/** What the repository says about itself in several places, and what its workflows on GitHub may do. */
const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

interface PackageJson {
	name: string;
	version: string;
	homepage: string;
	repository: { url: string };
	bugs: { url: string };
	engines: { node: string };
	scripts: Record<string, string>;
	devDependencies: Record<string, string>;
}
interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
}
interface Job {
	permissions?: Record<string, string>;
	needs?: string;
	strategy?: { matrix: { node: number[] } };
	'timeout-minutes'?: number;
	steps: Step[];
}
interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const packageJson = JSON.parse(read('package.json')) as PackageJson;
const workflow = (file: string) => parse(read(`.github/workflows/${file}`)) as Workflow;
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps);

/** Files below a folder, as paths from the root. */
function filesIn(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

describe('the address of the repository', () => {
	const { homepage, repository, bugs } = packageJson;

	it('is one in package.json', () => {
		expect(homepage).toMatch(new RegExp(`^https://github\\.com/[\\w-]+/${packageJson.name}$`));
		expect([repository.url, bugs.url]).toEqual([`git+${homepage}.git`, `${homepage}/issues`]);
	});

	it('is the same wherever users are led to it', () => {
		const own = new RegExp(`https://github\\.com/[\\w-]+/${packageJson.name}`, 'g');
		const places = [...filesIn('nodes'), ...filesIn('credentials'), ...filesIn('.github')];
		const led = places.flatMap((file) => [...read(file).matchAll(own)].map(([url]) => ({ file, url })));
		expect(new Set(led.map(({ file }) => file))).toEqual(
			new Set([
				'nodes/PriceCollection/PriceCollection.node.json',
				'nodes/PriceCollection/PriceCollectionPollingTrigger.node.json',
				'nodes/PriceCollection/PriceCollectionTrigger.node.json',
				'credentials/PriceCollectionApi.credentials.ts',
				'.github/ISSUE_TEMPLATE/config.yml',
			]),
		);
		expect(led.filter(({ url }) => url !== homepage)).toEqual([]);
	});
});

describe('the version', () => {
	const lock = JSON.parse(read('package-lock.json')) as {
		version: string;
		packages: Record<string, { version: string }>;
	};
	const [unreleased, newest] = changelog.sections(read('CHANGELOG.md'));

	it('is the one of the lock file and the newest of the changelog', () => {
		expect([lock.version, lock.packages['']?.version, newest?.name]).toEqual(
			Array(3).fill(packageJson.version),
		);
		expect(unreleased?.name).toBe('Unreleased');
	});

	it('of n8n is one in the tests', () => {
		const real = JSON.parse(read('test/n8n/package.json')) as { dependencies: { n8n: string } };
		const minor = (version = '') => version.split('.').slice(0, 2).join('.');
		const { 'n8n-core': core, 'n8n-workflow': workflowPackage } = packageJson.devDependencies;
		expect([minor(core), minor(workflowPackage)]).toEqual(Array(2).fill(minor(real.dependencies.n8n)));
	});

	it('of TypeScript is one for both linters', () => {
		const linter = JSON.parse(read('test/node-cli/package.json')) as {
			dependencies: { typescript: string };
		};
		expect(linter.dependencies.typescript).toBe(packageJson.devDependencies.typescript);
	});
});

describe('the workflows on GitHub', () => {
	const files = readdirSync(path.join(ROOT, '.github/workflows'));

	it('are continuous integration and publishing', () => {
		expect(files.sort()).toEqual(['ci.yml', 'publish.yml']);
	});

	it.each(files)('%s may only read, but for what one job needs', (file) => {
		const { permissions, jobs } = workflow(file);
		expect(permissions).toEqual({ contents: 'read' });
		const more = Object.entries(jobs).flatMap(([name, job]) =>
			job.permissions ? [[name, job.permissions]] : [],
		);
		expect(more).toEqual(file === 'publish.yml' ? [['publish', { 'id-token': 'write' }]] : []);
		expect(Object.values(jobs).map((job) => job['timeout-minutes'])).not.toContain(undefined);
	});

	it.each(files)('%s uses released versions of GitHub’s own actions', (file) => {
		const used = stepsOf(workflow(file)).flatMap(({ uses }) => uses ?? []);
		expect(used).not.toEqual([]);
		for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@v\d+\.\d+\.\d+$/);
	});

	it.each(files)('%s runs scripts that exist', (file) => {
		const commands = stepsOf(workflow(file)).flatMap(({ run }) => run ?? []);
		const scripts = commands.flatMap((command) => /^npm (?:run )?(\S+)/.exec(command)?.[1] ?? []);
		expect(scripts.filter((name) => name !== 'publish' && !(name in packageJson.scripts))).toEqual([]);
		const paths = commands.flatMap((command) => /^(?:node )?(\S+\/\S+)/.exec(command)?.[1] ?? []);
		expect(paths).toContain('.ci/run');
		expect(paths.filter((script) => !existsSync(path.join(ROOT, script)))).toEqual([]);
	});

	it('test on the oldest Node that package.json allows', () => {
		const nodes = workflow('ci.yml').jobs.test?.strategy?.matrix.node;
		expect(nodes).toEqual([20, 22, 24]);
		expect(packageJson.engines.node).toBe(`>=${nodes?.[0]}.19`);
	});

	it('run the unit and engine tests in each of these Nodes itself, which npm would replace by its own', () => {
		const runs = workflow('ci.yml').jobs.test?.steps.flatMap(({ run }) => run ?? []);
		expect(runs).toEqual([
			'npm test',
			`node --eval "new (require('./index.js').PriceCollection)()"`,
			'node node_modules/jest/bin/jest.js --selectProjects unit engine',
		]);
	});

	it('publish the tarball that was tested, where nothing that was installed can run', () => {
		const { test, publish } = workflow('publish.yml').jobs;
		const runs = (job?: Job) => job?.steps.flatMap(({ run }) => run ?? []);
		expect(runs(test)).toEqual([
			'node tools/release.mjs check "$GITHUB_REF_NAME"',
			'.ci/run',
			'npm run lint:n8n',
			'npm run scan -- --keep',
		]);
		expect(publish?.needs).toBe('test');
		expect(runs(publish)).toEqual(['npm publish ./release/*.tgz --provenance --access public']);
		const artifacts = [...(test?.steps ?? []), ...(publish?.steps ?? [])].filter(({ uses }) =>
			uses?.includes('artifact'),
		);
		expect(artifacts.map((step) => step.with)).toEqual([
			{ name: 'tarball', path: 'release/*.tgz', 'if-no-files-found': 'error' },
			{ name: 'tarball', path: 'release' },
		]);
	});
});

describe('Dependabot', () => {
	interface Update {
		'package-ecosystem': string;
		directory: string;
		groups?: Record<string, { patterns: string[] }>;
	}
	const { updates } = parse(read('.github/dependabot.yml')) as { updates: Update[] };

	it('looks after the packages and the actions', () => {
		expect(updates.map((update) => [update['package-ecosystem'], update.directory])).toEqual([
			['npm', '/'],
			['npm', '/test/node-cli'],
			['github-actions', '/'],
		]);
		const folders = updates.filter((update) => update['package-ecosystem'] === 'npm');
		for (const { directory } of folders)
			expect(read(path.join(directory, 'package-lock.json'))).toContain('{');
	});

	it('moves n8n as one', () => {
		expect(updates[0]?.groups?.n8n?.patterns).toEqual(['n8n-workflow', 'n8n-core']);
	});
});

describe('the forms for issues', () => {
	const forms = readdirSync(path.join(ROOT, '.github/ISSUE_TEMPLATE')).filter(
		(file) => file !== 'config.yml',
	);

	it.each(forms)('%s asks for no keys', (file) => {
		expect(read(`.github/ISSUE_TEMPLATE/${file}`)).toMatch(/never post keys|no keys, please/i);
	});

	it('of what does not work asks what is needed to repeat it', () => {
		const { body } = parse(read('.github/ISSUE_TEMPLATE/bug.yml')) as { body: Array<{ id?: string }> };
		expect(body.flatMap(({ id }) => id ?? [])).toEqual([
			'package',
			'n8n',
			'operation',
			'happened',
			'message',
			'repeat',
			'clean',
		]);
	});
});
