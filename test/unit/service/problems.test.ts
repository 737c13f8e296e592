import {
	explain,
	PROBLEMS,
	type ParameterFault,
	type Problem,
} from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

test('the words make n8n take an execution for stopped only where it was', () => {
	const kinds = Object.entries(PROBLEMS).filter(([, { message }]) => message.includes('canceled'));
	expect(kinds.map(([kind]) => kind)).toEqual(['stopped']);
});

test.each(Object.entries(PROBLEMS))(
	'%s has a headline, and advice in whole sentences, of its own',
	(kind, said) => {
		expect(said.message).toMatch(/^([A-Z]|n8n )[^.]+[^.\s]$/);
		// When the service refuses something, its own words are the explanation.
		expect(said.advice).toMatch(kind === 'refused' ? /^$/ : /^[A-Z].+\.$/);
		const others = Object.entries(PROBLEMS).filter(([other]) => other !== kind);
		expect(others.map(([, { message }]) => message)).not.toContain(said.message);
	},
);

describe('what a user reads', () => {
	const BASE: Problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' };
	const LATER = 'Try again later.';
	const LIST = 'Endpoint: GET /v2/jobs.';
	const MAY_EXIST =
		'It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice.';
	const COUNTRY: ParameterFault = {
		parameter: 'country',
		serviceName: 'land',
		complaint: 'value',
		isSent: true,
	};
	const WEB_PAGE = PROBLEMS.htmlBody.advice;

	test.each<[string, Partial<Problem>, string, string?]>([
		['little is known', {}, `${LATER} ${LIST}`],
		['there is a status', { status: 503 }, `${LATER} Endpoint: GET /v2/jobs, HTTP 503.`],
		['the service gives a reason', { reason: 'x' }, `${LATER} The service says: "x". ${LIST}`],
		['the reason ends', { reason: 'x?' }, `${LATER} The service says: "x?" ${LIST}`],
		['it comments', { comment: 'Soon (really!)' }, `${LATER} The service says: Soon (really!) ${LIST}`],
		['it does both', { reason: 'x', comment: 'y' }, `${LATER} The service says: "x": y. ${LIST}`],
		['there is a detail', { detail: 'a.b\nc' }, `${LATER} a.b c. ${LIST}`],
		['it asks to wait', { retryAfterMs: 1_001 }, `${LATER} The service asks to wait 2 seconds. ${LIST}`],
		[
			'it names a parameter',
			{ kind: 'refused', reason: 'x', parameter: 'source' },
			`The service says: "x" (parameter source). ${LIST}`,
			'The service refused the request: source',
		],
		[
			'a setting helps',
			{ kind: 'unsupported', reason: 'x', setting: 'Set it', faults: [COUNTRY] },
			`The service says: "x". Set it. ${LIST}`,
			'The service does not support this combination: land',
		],
		['it names one in vain', { parameter: 'source' }, `${LATER} ${LIST}`],
		[
			'a creation may have taken effect',
			{ endpoint: ENDPOINTS.create, effect: 'unknown' },
			`${MAY_EXIST} Endpoint: POST /v2/jobs.`,
		],
		[
			'a creation may have taken effect, and another try is no help',
			{ kind: 'refused', endpoint: ENDPOINTS.create, effect: 'unknown' },
			`${MAY_EXIST} Endpoint: POST /v2/jobs.`,
			'The service refused the request',
		],
		[
			'a job may have been cancelled',
			{ endpoint: ENDPOINTS.cancel, effect: 'unknown' },
			`It is unclear whether the job was cancelled: check its status (Get) before you continue. Endpoint: ${ENDPOINTS.cancel.text}.`,
		],
		[
			'a web page came',
			{ kind: 'htmlBody', endpoint: ENDPOINTS.create, effect: 'unknown' },
			`${WEB_PAGE} ${MAY_EXIST} Endpoint: POST /v2/jobs.`,
			PROBLEMS.htmlBody.message,
		],
	])('says what to do where %s', (_name, more, description, message = PROBLEMS.unavailable.message) => {
		expect(explain({ ...BASE, ...more })).toEqual({ message, description });
	});
});
