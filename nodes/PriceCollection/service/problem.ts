/** Everything that can go wrong with a request, by what the user can do about it. */
export type ProblemKind =
	| 'connectionRefused'
	| 'hostNotFound'
	| 'connectionLost'
	| 'timedOut'
	| 'certificate'
	| 'notSent'
	| 'stopped'
	| 'redirectLoop'
	| 'redirectedAway'
	| 'emptyBody'
	| 'htmlBody'
	| 'unreadableBody'
	| 'unexpectedBody'
	| 'truncatedBody'
	| 'tooLarge'
	| 'notStored'
	| 'unauthorized'
	| 'forbidden'
	| 'missingParameter'
	| 'invalidValue'
	| 'unknownSource'
	| 'unsupported'
	| 'disabled'
	| 'noCredits'
	| 'quotaExceeded'
	| 'tooManyValues'
	| 'planLimit'
	| 'jobNotFound'
	| 'notFinished'
	| 'cancelled'
	| 'jobOver'
	| 'rateLimited'
	| 'retired'
	| 'wrongAddress'
	| 'formatRefused'
	| 'unavailable'
	| 'refused';

/** One thing that went wrong with one request: plain data, free of secrets. */
export interface Problem {
	kind: ProblemKind;
	/** Method and path template, such as `POST /v2/jobs`. */
	endpoint: string;
	/** HTTP status, when a reply came. */
	status?: number;
	/** The service's own words. */
	reason?: string;
	parameter?: string;
	comment?: string;
	/** What exactly was expected or came, for problems with bodies and redirects. */
	detail?: string;
	/** How long the service asked to wait, in milliseconds. */
	retryAfterMs?: number;
	/** For a request that changes something: whether it can have taken effect. */
	effect: 'none' | 'unknown';
}

/** What a request gave: its value, or why there is none. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export function success<T>(value: T): Outcome<T> {
	return { ok: true, value };
}

export function failure(problem: Problem): { ok: false; problem: Problem } {
	return { ok: false, problem };
}
