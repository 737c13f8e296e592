/** The seven endpoints, as texts name them: method and path template. */
export const ENDPOINTS = {
	create: 'POST /v2/jobs',
	list: 'GET /v2/jobs',
	get: 'GET /v2/jobs/{job_id}',
	download: 'GET /v2/jobs/{job_id}/download',
	cancel: 'POST /v2/jobs/{job_id}/cancel',
	usageToday: 'GET /v2/me/usage_today',
	usageMonth: 'GET /v2/me/usage_month',
} as const;

/** What a request to an endpoint may have done that went out and got no proper answer: a read, nothing. */
export function effectOf(endpoint: string): 'none' | 'unknown' {
	return endpoint.startsWith('POST') ? 'unknown' : 'none';
}
