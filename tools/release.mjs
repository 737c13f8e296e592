// Prepares a release, and keeps untested code from npm. Works on the folder it is started in.
//
// npm run release -- owner      writes the owner from package.json to all places that name one, and says what is
//                               left to fill in.
// npm run release -- minor      (or major, patch) on a clean main: sets the version and the date of the changelog,
//                               runs all tests, packs once and checks the tarball, commits and tags. Publishes
//                               nothing: the pushed tag starts .github/workflows/publish.yml. Before the first tag,
//                               it releases the version in package.json.
// npm run release -- check 1.2.3  what that workflow checks first: do all places say 1.2.3, is everything filled in?
// node tools/release.mjs guard  before `npm publish` in a folder: refuses, because what is in a folder is not tested.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import changelog from './changelog.cjs';

const LEVELS = ['major', 'minor', 'patch'];
const BRANCH = 'main';
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

/** Placeholders for what only the owner knows. */
const PLACEHOLDERS = /github\.com\/OWNER\/|@example\.com|node maintainers$/;

/** The package's address on GitHub, with any owner. */
const ADDRESS = /github\.com\/[\w-]+\/n8n-nodes-price-collection/g;
const PLACES = ['package.json', 'LICENSE.md', 'nodes', 'credentials', 'test/fixtures', '.github'];

/** The release cannot go on; the message says why and what to do. */
class Refusal extends Error {}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
const read = (file) => readFileSync(file, 'utf8');
const version = () => JSON.parse(read('package.json')).version;

function refuseIf(isWrong, message) {
	if (isWrong) throw new Refusal(message);
}

/** What package.json says about the owner, and which of these fields are still open. */
function ownerOf() {
	const { author = {}, repository = {} } = JSON.parse(read('package.json'));
	const given = {
		'author.name': author.name,
		'author.email': author.email,
		'repository.url': repository.url,
	};
	const open = Object.entries(given).filter(([, text]) => text === undefined || PLACEHOLDERS.test(text));
	const [address] = String(repository.url).match(ADDRESS) ?? [];
	return { name: author.name, address, open: open.map(([field]) => field) };
}

/** The files that name another owner, with their text and the right text. */
function placesOfOwner() {
	const { name, address } = ownerOf();
	refuseIf(
		address === undefined,
		'repository.url in package.json is not the address of the package on GitHub',
	);
	return git('ls-files', '--', ...PLACES)
		.split('\n')
		.map((file) => {
			const text = read(file);
			const named = file === 'LICENSE.md' ? text.replace(/^(Copyright \d+) .*$/m, `$1 ${name}`) : text;
			return { file, text, right: named.replace(ADDRESS, address) };
		})
		.filter(({ text, right }) => text !== right);
}

function checkOwner() {
	const { open } = ownerOf();
	refuseIf(open.length > 0, `Fill in ${open.join(', ')} in package.json`);
	const files = placesOfOwner().map(({ file }) => file);
	refuseIf(files.length > 0, `${files.join(', ')} name another owner: npm run release -- owner`);
}

function writeOwner() {
	for (const { file, right } of placesOfOwner()) {
		writeFileSync(file, right);
		console.log(`release: ${file} names the owner`);
	}
	checkOwner();
	console.log('release: everything of the owner is filled in');
}

/** The tag, package.json, the lock file and the changelog must name the same version. */
function checkVersion(tag) {
	const lock = JSON.parse(read('package-lock.json'));
	const [newest] = changelog.sections(read('CHANGELOG.md')).filter(({ name }) => name !== 'Unreleased');
	const said = {
		tag,
		'package.json': version(),
		'package-lock.json': lock.version,
		'CHANGELOG.md': newest?.name,
	};
	refuseIf(new Set(Object.values(said)).size > 1, `These do not name one version: ${JSON.stringify(said)}`);
	refuseIf(newest.date === undefined, `CHANGELOG.md has no date for ${newest.name}`);
}

function checkBeforeRelease() {
	const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
	refuseIf(branch !== BRANCH, `This is the branch ${branch}: releases are made on ${BRANCH}`);
	const dirty = git('status', '--porcelain');
	refuseIf(dirty !== '', `Commit or remove these changes first:\n${dirty}`);
	checkOwner();
	const notes = changelog.unreleasedNotes(read('CHANGELOG.md'));
	refuseIf(notes === '', 'CHANGELOG.md says nothing under Unreleased: what would be released?');
	const isNamed = git('tag', '--list') === '' && changelog.sections(read('CHANGELOG.md')).length > 1;
	refuseIf(
		isNamed,
		'CHANGELOG.md has versions, but none is tagged: the first is the first that is published',
	);
}

function prepare(level) {
	checkBeforeRelease();
	try {
		if (git('tag', '--list') !== '') run('npm', 'version', level, '--no-git-tag-version');
		const next = version();
		refuseIf(git('tag', '--list', next) !== '', `The tag ${next} exists already`);
		const today = new Date().toISOString().slice(0, 10);
		writeFileSync('CHANGELOG.md', changelog.closeUnreleased(read('CHANGELOG.md'), next, today));
		checkVersion(next);
		run('npm', 'test');
		run('npm', 'run', 'lint:n8n');
		run('npm', 'run', 'scan', '--', '--keep');
		git('commit', '--quiet', '--message', `Release ${next}`, '--', ...CHANGED);
		git('tag', '--annotate', next, '--message', `Release ${next}`);
		console.log(`release: ${next} is committed and tagged. Publish it: git push --follow-tags`);
	} catch (error) {
		git('checkout', '--quiet', 'HEAD', '--', ...CHANGED);
		throw error;
	}
}

function guard() {
	// npm sets this for scripts during `npm publish --dry-run`, which publishes nothing.
	if (process.env.npm_config_dry_run === 'true') return;
	throw new Refusal(
		'Not from a folder: `npm run release`, and push the tag. GitHub then publishes what it has tested.',
	);
}

function main([task, tag]) {
	if (LEVELS.includes(task)) return prepare(task);
	if (task === 'guard') return guard();
	if (task === 'owner') return writeOwner();
	if (task !== 'check') throw new Refusal(`Say what to release (${LEVELS.join(', ')}), or owner`);
	checkOwner();
	checkVersion(tag);
}

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(`release: ${error instanceof Refusal ? error.message : (error.stack ?? error)}`);
	process.exitCode = 1;
}
