import type { IncomingMessage } from 'node:http';

export interface LoggedRequest {
	id: number;
	/** Which listener was asked. */
	listener: 'service' | 'legacy' | 'otherOrigin';
	/** Time of arrival, milliseconds of the real clock. */
	at: number;
	method: string;
	/** Path and query as they came. */
	url: string;
	path: string;
	query: Record<string, string>;
	headers: IncomingMessage['headers'];
	body: string;
	/** Null while open, and for good when the answer was never sent. */
	replyStatus: number | null;
	/** Name of the fault that was played, if any. */
	fault: string | null;
}

/** What was asked of the sandbox, oldest first, bounded. */
export class RequestLog {
	entries: LoggedRequest[] = [];
	private readonly limit: () => number;
	private count = 0;

	constructor(limit: () => number) {
		this.limit = limit;
	}

	add(listener: LoggedRequest['listener'], raw: IncomingMessage, url: string): LoggedRequest {
		const { pathname, searchParams } = new URL(url, 'http://sandbox.invalid');
		this.count++;
		const entry: LoggedRequest = {
			id: this.count,
			listener,
			at: Date.now(),
			method: raw.method ?? '',
			url,
			path: pathname,
			query: Object.fromEntries(searchParams),
			headers: { ...raw.headers },
			body: '',
			replyStatus: null,
			fault: null,
		};
		this.entries.push(entry);
		if (this.entries.length > this.limit()) this.entries.shift();
		return entry;
	}

	clear(): void {
		this.entries = [];
	}
}
