/** HTTP status by reason; other reasons have 400. `refusalStatuses` overrides it. */
const STATUSES: Record<string, number> = {
	gone: 410,
	'job canceled': 409,
	'job failed': 410,
	'job forbidden': 403,
	'job not found': 404,
	'not enough free credits': 402,
	'not finished': 409,
	'not found': 404,
	'page not found': 404,
	'results are being written': 409,
	'too many requests': 429,
	unauthorized: 401,
	'value disabled': 403,
	'Job is already finished or canceled': 409,
	'Not found': 404,
	Unauthorized: 401,
};

export interface RefusalBody {
	success: false;
	reason?: string;
	/** The message of a service that sends no reason. */
	error?: string;
	parameter?: string;
	comment?: string;
}

interface RefusalExtras {
	headers?: Record<string, string>;
	/** HTTP status, unless `refusalStatuses` has one for the reason. */
	code?: number;
	/** Sent instead of reason, parameter and comment. */
	body?: RefusalBody;
}

/** A request that the service understood but refused. */
export class Refusal extends Error {
	readonly body: RefusalBody;
	readonly headers: Record<string, string>;
	private readonly code: number | undefined;

	constructor(reason: string, parameter?: string, comment?: string, extras: RefusalExtras = {}) {
		super(reason);
		this.body = extras.body ?? { success: false, reason };
		if (parameter !== undefined) this.body.parameter = parameter;
		if (comment !== undefined) this.body.comment = comment;
		this.headers = extras.headers ?? {};
		this.code = extras.code;
	}

	status(overrides: Record<string, number>): number {
		return overrides[this.message] ?? this.code ?? STATUSES[this.message] ?? 400;
	}
}

export function missingParameter(name: string): Refusal {
	return new Refusal('missing parameter', name, `Provide the mandatory parameter '${name}'!`);
}

export function invalidParameter(name: string, rule: string): Refusal {
	return new Refusal('parameter value invalid', name, `The parameter '${name}' ${rule}.`);
}
