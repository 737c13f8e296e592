import type { Part, Template } from '../code/template';
import { renderTemplate, splitTemplate } from '../code/template';
import { withoutEncoding } from './pairs';

export type Endpoint = 'create' | 'list' | 'get' | 'download' | 'cancel' | 'usageToday' | 'usageMonth';

/** What a path asks for. */
export interface PathMeaning {
	version: 1 | 2;
	endpoint: Endpoint;
	jobId?: string;
	format?: string;
}

const textOf = (segment: Template | undefined): string | undefined => {
	const [only, more] = segment ?? [];
	return only && !more && 'text' in only ? only.text.toLowerCase() : undefined;
};

/** Takes `.json`, `.xml` or `.csv` off the last segment. */
function takeFormat(segments: Part[][]): string | undefined {
	const last = segments.at(-1)?.at(-1);
	const match = last && 'text' in last ? /^(.*)\.(json|xml|csv)$/i.exec(last.text) : null;
	const segment = segments.at(-1);
	if (!match || !segment) return undefined;
	segment.pop();
	if (match[1]) segment.push({ text: match[1] });
	return match[2]?.toLowerCase();
}

function jobEndpoint(rest: Part[][], method: string): Omit<PathMeaning, 'version'> | undefined {
	const [id, action, more] = rest;
	if (more) return undefined;
	if (!id) {
		if (method === 'POST') return { endpoint: 'create' };
		return method === 'GET' ? { endpoint: 'list' } : undefined;
	}
	const jobId = renderTemplate(withoutEncoding(id));
	if (!action) return method === 'GET' ? { endpoint: 'get', jobId } : undefined;
	if (textOf(action) === 'download' && method === 'GET') return { endpoint: 'download', jobId };
	return textOf(action) === 'cancel' && method === 'POST' ? { endpoint: 'cancel', jobId } : undefined;
}

function usageEndpoint(head: string | undefined, name: string): Endpoint | undefined {
	if (head === 'me' && name === 'usage_today') return 'usageToday';
	if (head === 'me' && name === 'usage_month') return 'usageMonth';
	if (head !== 'settings') return undefined;
	if (name.includes('month')) return 'usageMonth';
	return /usage.*(day|dai)|(day|dai).*usage/.test(name) ? 'usageToday' : undefined;
}

/** What a path means with a method (upper case); version 1 and version 2 paths. */
export function readPath(path: Template, method: string): PathMeaning | undefined {
	const segments = splitTemplate(path, '/').filter((segment) => segment.length > 0);
	const format = takeFormat(segments);
	const version = textOf(segments[0]) === 'v2' ? 2 : 1;
	const [head, second, third, more] = version === 2 ? segments.slice(1) : segments;
	const name = textOf(head);
	if (name === 'jobs') {
		const meaning = jobEndpoint(
			[second, third, more].filter((s) => s !== undefined),
			method,
		);
		return meaning && { ...meaning, version, format };
	}
	if (method !== 'GET') return undefined;
	if (version === 1 && name === 'products' && textOf(second) === 'bulk' && third && !more) {
		return { version, endpoint: 'download', jobId: renderTemplate(withoutEncoding(third)), format };
	}
	const endpoint = third ? undefined : usageEndpoint(name, textOf(second) ?? '');
	return endpoint && { version, endpoint, format };
}

/** The version 2 paths; a job's identifier goes between the two. */
export const PATHS: Readonly<Record<Endpoint, { before: string; after: string }>> = {
	create: { before: '/v2/jobs', after: '' },
	list: { before: '/v2/jobs', after: '' },
	get: { before: '/v2/jobs/', after: '' },
	download: { before: '/v2/jobs/', after: '/download' },
	cancel: { before: '/v2/jobs/', after: '/cancel' },
	usageToday: { before: '/v2/me/usage_today', after: '' },
	usageMonth: { before: '/v2/me/usage_month', after: '' },
};
