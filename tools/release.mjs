// Prepares a release, and keeps everything from npm that was not tested. Works on the folder it is started in.
//
// npm run release -- minor      (or major, patch) on a clean main: sets the version and the date of the changelog,
//                               runs all tests, packs once and checks the tarball, commits and tags. Publishes
//                               nothing: the pushed tag starts .github/workflows/publish.yml.
// npm run release -- check 1.2.3  what that workflow asks first: does all of this say 1.2.3, is everything filled in?
// node tools/release.mjs guard  before `npm publish` in a folder: refuses, because what is in a folder is not tested.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import changelog from './changelog.cjs';

const LEVELS = ['major', 'minor', 'patch'];
const BRANCH = 'main';
const CHANGED = ['package.json', 'package-lock.json', 'CHANGELOG.md'];

/** What stands where only the owner can say what is right; docs/verification.md lists it. */
const PLACEHOLDERS = /github\.com\/OWNER\/|@example\.com/;

/** The release cannot go on; the message says why and what to do. */
class Refusal extends Error {}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });
const read = (file) => readFileSync(file, 'utf8');
const version = () => JSON.parse(read('package.json')).version;

function refuseIf(isWrong, message) {
	if (isWrong) throw new Refusal(message);
}

function checkPlaceholders() {
	const { author, homepage, repository, bugs } = JSON.parse(read('package.json'));
	const open = [author?.email, homepage, repository?.url, bugs?.url].filter(
		(text) => text === undefined || PLACEHOLDERS.test(text),
	);
	refuseIf(
		open.length > 0,
		`package.json still has placeholders (${open.join(', ')}): see docs/verification.md`,
	);
}

/** What the tag, package.json, the lock file and the changelog say must be one version. */
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
	checkPlaceholders();
	const notes = changelog.unreleasedNotes(read('CHANGELOG.md'));
	refuseIf(notes === '', 'CHANGELOG.md says nothing under Unreleased: what would be released?');
}

function prepare(level) {
	checkBeforeRelease();
	try {
		run('npm', 'version', level, '--no-git-tag-version');
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
	if (task !== 'check') throw new Refusal(`Say what to release: ${LEVELS.join(', ')}`);
	checkPlaceholders();
	checkVersion(tag);
}

try {
	main(process.argv.slice(2));
} catch (error) {
	console.error(`release: ${error instanceof Refusal ? error.message : (error.stack ?? error)}`);
	process.exitCode = 1;
}
