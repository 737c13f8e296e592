import {
	isFinal,
	PROBLEMS,
	traitsOf,
	type ProblemKind,
} from '../../../nodes/PriceCollection/service/problems';

type Traits = ReturnType<typeof traitsOf>;

/** What the rest of the package makes of each kind, written out: retry, final, job, effect, cause, and whether it is about the whole account. */
const EXPECTED: Record<
	ProblemKind,
	readonly [
		retry: Traits['retry'],
		final: Traits['final'],
		job: Traits['job'],
		effect: Traits['effect'],
		cause: Traits['cause'] | '',
		...flags: Array<'accountWide'>,
	]
> = {
	connectionRefused: ['all', 'none', 'unsaid', 'none', 'temporarily-unavailable', 'accountWide'],
	hostNotFound: ['all', 'none', 'unsaid', 'none', '', 'accountWide'],
	connectionLost: ['reads', 'none', 'unsaid', 'unknown', 'temporarily-unavailable'],
	earlierTry: ['never', 'none', 'unsaid', 'unknown', ''],
	timedOut: ['reads', 'none', 'unsaid', 'unknown', 'temporarily-unavailable'],
	certificate: ['never', 'status', 'unsaid', 'unknown', '', 'accountWide'],
	invalidHeader: ['never', 'status', 'unsaid', 'none', 'configuration-invalid', 'accountWide'],
	addressForbidden: ['never', 'status', 'unsaid', 'none', ''],
	notSent: ['reads', 'none', 'unsaid', 'none', '', 'accountWide'],
	stopped: ['never', 'none', 'unsaid', 'unknown', '', 'accountWide'],
	redirectedAway: ['never', 'status', 'unsaid', 'unknown', 'configuration-invalid', 'accountWide'],
	htmlBody: ['never', 'none', 'unsaid', 'unknown', ''],
	unreadableBody: ['never', 'none', 'unsaid', 'unknown', ''],
	unexpectedBody: ['never', 'status', 'unsaid', 'unknown', ''],
	truncatedBody: ['reads', 'none', 'unsaid', 'unknown', ''],
	tooLarge: ['never', 'download', 'unsaid', 'unknown', ''],
	notStored: ['never', 'none', 'unsaid', 'unknown', ''],
	unauthorized: ['never', 'status', 'unsaid', 'unknown', 'credential-invalid', 'accountWide'],
	forbidden: ['never', 'all', 'gone', 'unknown', ''],
	missingParameter: ['never', 'none', 'unsaid', 'unknown', ''],
	invalidValue: ['never', 'none', 'unrecognized', 'unknown', ''],
	unknownSource: ['never', 'none', 'unsaid', 'unknown', ''],
	unsupported: ['never', 'none', 'unsaid', 'unknown', ''],
	noCredits: ['never', 'none', 'unsaid', 'unknown', 'quota-exhausted', 'accountWide'],
	tooManyValues: ['never', 'none', 'unsaid', 'unknown', ''],
	planLimit: ['never', 'status', 'unsaid', 'unknown', ''],
	jobNotFound: ['never', 'all', 'gone', 'unknown', ''],
	notFinished: ['never', 'none', 'unsaid', 'unknown', ''],
	cancelled: ['never', 'none', 'unsaid', 'unknown', ''],
	jobOver: ['never', 'none', 'unsaid', 'unknown', ''],
	rateLimited: ['all', 'none', 'unsaid', 'unknown', 'rate-limited', 'accountWide'],
	retired: ['never', 'all', 'unsaid', 'unknown', 'configuration-invalid', 'accountWide'],
	wrongAddress: ['never', 'status', 'unsaid', 'unknown', 'configuration-invalid', 'accountWide'],
	formatRefused: ['never', 'none', 'unsaid', 'unknown', ''],
	unavailable: ['reads', 'none', 'unsaid', 'unknown', 'temporarily-unavailable'],
	refused: ['never', 'none', 'unrecognized', 'unknown', ''],
};

test.each(Object.entries(EXPECTED))('%s: %j', (kind, [retry, final, job, effect, cause, ...flags]) => {
	const traits = traitsOf({ kind: kind as ProblemKind });
	const flagged = (['accountWide'] as const).filter((flag) => traits[flag]);
	expect([traits.retry, traits.final, traits.job, traits.effect, traits.cause ?? '', ...flagged]).toEqual([
		...[retry, final, job, effect, cause],
		...flags,
	]);
});

test('no kind goes without its traits', () => {
	expect(Object.keys(PROBLEMS).sort()).toEqual(Object.keys(EXPECTED).sort());
});

test.each([
	['jobNotFound', true, true],
	['tooLarge', false, true],
	['unauthorized', true, false],
	['unavailable', false, false],
] as const)('%s is final for the status: %p, for the download: %p', (kind, status, download) => {
	expect([isFinal({ kind }, 'status'), isFinal({ kind }, 'download')]).toEqual([status, download]);
});

describe('the words', () => {
	test.each(Object.entries(PROBLEMS))('of %s say what happened, then what to do', (_kind, traits) => {
		expect(traits.message).toMatch(/^(n8n|[A-Z]).*[^.]$/);
		expect(traits.advice).toMatch(/^[A-Z].*\.$/);
		expect(`${traits.message} ${traits.advice}`).not.toMatch(/\b(error|problem|failure)/i);
	});

	test('of each kind are its own', () => {
		const messages = Object.values(PROBLEMS).map(({ message }) => message);
		expect(new Set(messages).size).toBe(messages.length);
	});

	test('make n8n take an execution for stopped only where it was', () => {
		const kinds = Object.entries(PROBLEMS).filter(([, { message }]) => message.includes('canceled'));
		expect(kinds.map(([kind]) => kind)).toEqual(['stopped']);
	});
});
