import { isFinal, PROBLEMS, type ProblemKind } from '../../../nodes/PriceCollection/service/problems';

/** The kinds that are not of the usual sort, which is refused for good, but another request may do. */
const UNUSUAL: Record<string, ProblemKind[]> = {
	'retry all': ['connectionRefused', 'hostNotFound', 'rateLimited'],
	'retry reads': ['connectionLost', 'timedOut', 'notSent', 'truncatedBody', 'unavailable'],
	'final all': ['forbidden', 'jobNotFound', 'retired'],
	'final status': [
		...(['addressForbidden', 'certificate', 'invalidHeader', 'planLimit', 'redirectedAway'] as const),
		...(['unauthorized', 'unexpectedBody', 'wrongAddress'] as const),
	],
	'final download': ['tooLarge'],
	'job gone': ['forbidden', 'jobNotFound'],
	'job unrecognized': ['invalidValue', 'refused'],
	'accountWide true': [
		...(['certificate', 'connectionRefused', 'hostNotFound', 'invalidHeader', 'noCredits'] as const),
		...(['notSent', 'rateLimited', 'redirectedAway', 'retired', 'stopped', 'unauthorized'] as const),
		'wrongAddress',
	],
	'cause rate-limited': ['rateLimited'],
	'cause quota-exhausted': ['noCredits'],
	'cause credential-invalid': ['unauthorized'],
	'cause configuration-invalid': ['invalidHeader', 'redirectedAway', 'retired', 'wrongAddress'],
	'cause temporarily-unavailable': ['connectionLost', 'connectionRefused', 'timedOut', 'unavailable'],
};

test.each(Object.entries(UNUSUAL))('%s is said of %j and no other kind', (said, expected) => {
	const [trait, value] = said.split(' ');
	const kinds = Object.entries(PROBLEMS).filter(
		([, traits]) => String(traits[trait as keyof typeof traits]) === value,
	);
	expect(kinds.map(([kind]) => kind).sort()).toEqual([...expected].sort());
});

test('some are final for the status, some for the download', () => {
	const kinds = ['jobNotFound', 'tooLarge', 'unauthorized', 'unavailable'] as const;
	expect(kinds.map((kind) => isFinal({ kind }, 'status'))).toEqual([true, false, true, false]);
	expect(kinds.map((kind) => isFinal({ kind }, 'download'))).toEqual([true, true, false, false]);
});

test('the words make n8n take an execution for stopped only where it was', () => {
	const kinds = Object.entries(PROBLEMS).filter(([, { message }]) => message.includes('canceled'));
	expect(kinds.map(([kind]) => kind)).toEqual(['stopped']);
});
