/** One of the service's seven endpoints. */
export interface Endpoint {
	method: 'GET' | 'POST';
	/** Path below the base address, with `{job_id}` for the job. */
	path: string;
	/** Whether it is about a single job. */
	ofJob: boolean;
	/** Whether it changes something, so that a repeated request could do that twice. */
	changes: boolean;
	/** Method and path, as shown in texts. */
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

/** What a request may have done that was sent but not properly answered; reads change nothing. */
export function effectOf({ changes }: Endpoint): 'none' | 'unknown' {
	return changes ? 'unknown' : 'none';
}
