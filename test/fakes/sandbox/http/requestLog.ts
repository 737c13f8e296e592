import type { IncomingMessage } from 'node:http';

export interface LoggedRequest {
	/** Which listener received it. */
	listener: 'service' | 'otherOrigin';
	/** Time of arrival, milliseconds of the real clock. */
	at: number;
	method: string;
	/** Path and query as they came. */
	url: string;
	path: string;
	query: Record<string, string>;
	headers: IncomingMessage['headers'];
	body: string;
	/** Null while open; stays null if an answer is never sent. */
	replyStatus: number | null;
	/** Name of the fault that was played, if any. */
	fault: string | null;
}
