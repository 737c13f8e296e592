/** A request to one of the services, its body parsed. */
export interface Question {
	method: string;
	url: URL;
	body: unknown;
}

/** A string body is sent as an HTML page, an object as JSON. */
export interface Reply {
	status: number;
	body: object | string;
	headers?: Record<string, string>;
}

export const ok = (body: Reply['body'], headers: Record<string, string> = {}): Reply => ({
	status: 200,
	body,
	headers,
});

/** Refuses everything that the office does not implement, so that no request is accepted without effect. */
export function notPart({ method, url }: Question): Reply {
	const message = `${method} ${url.host}${url.pathname}${url.search} is not part of the office`;
	return { status: 501, body: { error: { message } } };
}
