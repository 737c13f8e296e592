/** `after`: the request is handled first, and only its reply is replaced. Default `before`. */
interface Timed {
	when?: 'before' | 'after';
}

export type Fault =
	/** 429 with or without Retry-After. */
	| ({ type: 'tooManyRequests'; retryAfterSeconds?: number } & Timed)
	/** A 5xx without a usable body. */
	| ({ type: 'serverError'; status?: number } & Timed)
	/** A load balancer's HTML page with 503. */
	| ({ type: 'htmlUnavailable' } & Timed)
	/** Plain text with 502. */
	| ({ type: 'textBadGateway' } & Timed)
	/** HTTP 200 (or `status`) and an empty body. */
	| ({ type: 'emptyBody'; status?: number } & Timed)
	/** HTTP 200 and an HTML page. */
	| ({ type: 'html' } & Timed)
	/** JSON, but not what was asked for. */
	| ({ type: 'wrongJson' } & Timed)
	/** JSON that stops in the middle, with a correct length. */
	| ({ type: 'brokenJson' } & Timed)
	/** HTTP 404 as JSON from a gateway or a framework, not from the service itself. */
	| ({ type: 'gatewayJson'; shape: 'route' | 'cannot' | 'framework' | 'detail' } & Timed)
	/** A firewall's HTML page with 403 (or `status`). */
	| ({ type: 'pageRefusal'; status?: number } & Timed)
	/** HTTP 200 and null where a list belongs. */
	| ({ type: 'nullList'; shape: 'jobs' | 'data' } & Timed)
	/** HTTP 200 and an error with a code (default 402) in the head of the body. */
	| ({ type: 'errorHead'; shape: 'meta' | 'head' | 'status'; code?: number } & Timed)
	/** A refusal of the service with any reason. */
	| ({ type: 'refusal'; reason: string; parameter?: string; comment?: string; status?: number } & Timed)
	/** Anything else. */
	| ({ type: 'reply'; status: number; headers?: Record<string, string>; body?: string } & Timed)
	/** `keepQuery` (default: for the same origin) repeats the query, including the key, in the address. */
	| ({
			type: 'redirect';
			to: 'sameOrigin' | 'otherOrigin' | 'loop';
			status?: number;
			keepQuery?: boolean;
	  } & Timed)
	/** The connection is reset; before or after the request was handled. */
	| ({ type: 'reset' } & Timed)
	/** The connection stays open without an answer. */
	| ({ type: 'noAnswer' } & Timed)
	/** The connection breaks after `bytes` of the reply (default: half); without `length` no Content-Length is sent. */
	| { type: 'truncate'; bytes?: number; length?: boolean }
	/** The reply comes in small pieces. */
	| { type: 'drip'; bytes?: number; intervalMs?: number }
	/** Headers and `bytes` of the reply (default 0), then silence. */
	| { type: 'stall'; bytes?: number }
	/** Handled normally, but late. */
	| { type: 'delay'; ms: number };

export interface FaultRule {
	match?: {
		method?: string;
		/** Regular expression on the path, without format suffix and query. */
		pathPattern?: string;
		/** Regular expression on the query, which begins with a question mark. */
		queryPattern?: string;
		/** Which of the matching requests, counted from 1, per rule. */
		nth?: number | number[];
	};
	/** How often the rule fires when `nth` is absent. Default 1. */
	times?: number | 'always';
	fault: Fault;
}

export interface ActiveRule extends FaultRule {
	/** Matching requests so far. */
	seen: number;
	/** How often the fault was played. */
	played: number;
}

function matches(rule: ActiveRule, method: string, path: string, query: string): boolean {
	const { match = {} } = rule;
	if (match.queryPattern !== undefined && !new RegExp(match.queryPattern).test(query)) return false;
	if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
	return match.pathPattern === undefined || new RegExp(match.pathPattern).test(path);
}

function fires(rule: ActiveRule): boolean {
	const nth = rule.match?.nth;
	if (nth !== undefined) return [nth].flat().includes(rule.seen);
	const { times = 1 } = rule;
	return times === 'always' || rule.played < times;
}

/** The active rules, in the order they were added. The first that fires wins; every matching rule counts. */
export class FaultList {
	rules: ActiveRule[] = [];

	/** Adds a rule and returns it with its counters. */
	add(rule: FaultRule): ActiveRule {
		const active = { ...rule, seen: 0, played: 0 };
		this.rules.push(active);
		return active;
	}

	clear(): void {
		this.rules = [];
	}

	/** The fault to play for a request, if any. */
	next(method: string, path: string, query = ''): Fault | undefined {
		const matching = this.rules.filter((rule) => matches(rule, method, path, query));
		for (const rule of matching) rule.seen++;
		const firing = matching.find(fires);
		if (firing) firing.played++;
		return firing?.fault;
	}
}
