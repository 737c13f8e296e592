/** A request to one of the services, its body parsed. */
export interface Question {
	method: string;
	url: URL;
	body: unknown;
}

/** A body that is a text is a page; any other is sent as JSON. */
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

/** The answer to everything unknown: no request is accepted that has no effect here. */
export function notPart({ method, url }: Question): Reply {
	const message = `${method} ${url.host}${url.pathname}${url.search} is not part of the office`;
	return { status: 501, body: { error: { message } } };
}
