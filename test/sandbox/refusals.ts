/** HTTP status of each reason; anything else is a 400. `refusalStatuses` overrides. */
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
	reason: string;
	parameter?: string;
	comment?: string;
}

/** A request that the service understood and turned down. */
export class Refusal extends Error {
	readonly body: RefusalBody;
	readonly headers: Record<string, string>;

	constructor(reason: string, parameter?: string, comment?: string, headers: Record<string, string> = {}) {
		super(reason);
		this.body = { success: false, reason };
		if (parameter !== undefined) this.body.parameter = parameter;
		if (comment !== undefined) this.body.comment = comment;
		this.headers = headers;
	}

	status(overrides: Record<string, number>): number {
		return overrides[this.body.reason] ?? STATUSES[this.body.reason] ?? 400;
	}
}

export function missingParameter(name: string): Refusal {
	return new Refusal('missing parameter', name, `Provide the mandatory parameter '${name}'!`);
}

export function invalidParameter(name: string, rule: string): Refusal {
	return new Refusal('parameter value invalid', name, `The parameter '${name}' ${rule}.`);
}
