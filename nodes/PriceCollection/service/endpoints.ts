/** One of the service's seven endpoints. */
export interface Endpoint {
	method: 'GET' | 'POST';
	/** Below the base address, with `{job_id}` for the job. */
	path: string;
	/** Whether it is about one job. */
	ofJob: boolean;
	/** Whether a request to it changes something, so that sending it twice could do it twice. */
	changes: boolean;
	/** As texts name it: method and path. */
	text: string;
}

function endpoint(method: Endpoint['method'], path: string): Endpoint {
	const [ofJob, changes] = [path.includes('{job_id}'), method === 'POST'];
	return { method, path, ofJob, changes, text: `${method} ${path}` };
}

export const ENDPOINTS = {
	create: endpoint('POST', '/v2/jobs'),
	list: endpoint('GET', '/v2/jobs'),
	get: endpoint('GET', '/v2/jobs/{job_id}'),
	download: endpoint('GET', '/v2/jobs/{job_id}/download'),
	cancel: endpoint('POST', '/v2/jobs/{job_id}/cancel'),
	usageToday: endpoint('GET', '/v2/me/usage_today'),
	usageMonth: endpoint('GET', '/v2/me/usage_month'),
};

/** What a request to an endpoint may have done that went out and got no proper answer: a read, nothing. */
export function effectOf({ changes }: Endpoint): 'none' | 'unknown' {
	return changes ? 'unknown' : 'none';
}
