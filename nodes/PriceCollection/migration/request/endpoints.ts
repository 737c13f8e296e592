import { DOWNLOAD_FORMATS } from '../../service/formats';
import { type Part, renderTemplate, splitTemplate, type Template } from '../code/template';
import { withoutEncoding } from './pairs';

export type EndpointName = 'create' | 'list' | 'get' | 'download' | 'cancel' | 'usageToday' | 'usageMonth';

/** What a path of the service means. */
export interface PathMeaning {
	version: 1 | 2;
	endpointName: EndpointName;
	jobId?: string;
	format?: string;
}

/** Methods and paths of both versions, without `/v2`; `*` stands for a job ID. */
const KNOWN_PATHS: ReadonlyArray<readonly [request: RegExp, endpointName: EndpointName]> = [
	[/^POST \/jobs$/, 'create'],
	[/^GET \/jobs$/, 'list'],
	[/^GET \/jobs\/\*$/, 'get'],
	[/^GET \/(jobs\/\*\/download|products\/bulk\/\*)$/, 'download'],
	[/^POST \/jobs\/\*\/cancel$/, 'cancel'],
	[/^GET \/(me\/usage_month|settings\/\w*month\w*)$/, 'usageMonth'],
	[/^GET \/(me\/usage_today|settings\/\w*(usage\w*da[iy]|da[iy]\w*usage)\w*)$/, 'usageToday'],
];

const EXTENSION = new RegExp(`^(.*)\\.(${DOWNLOAD_FORMATS.join('|')})/*$`, 'i');

/** Splits the extension of a format off a path. */
function takeFormat(path: Template): { rest: Template; format?: string } {
	const last = path.at(-1);
	const match = last && 'text' in last ? EXTENSION.exec(last.text) : null;
	if (!match) return { rest: path };
	return { rest: [...path.slice(0, -1), { text: match[1] ?? '' }], format: match[2]?.toLowerCase() };
}

/**
 * Reads a version 1 or 2 path; undefined if it is not a known one.
 *
 * @param method in upper case
 */
export function readEndpoint(path: Template, method: string): PathMeaning | undefined {
	const { rest, format } = takeFormat(path);
	const [head, ...more] = splitTemplate(rest, '/').filter((segment) => segment.length > 0);
	if (!head) return undefined;
	const textOf = ([first, second]: Part[]) =>
		first && !second && 'text' in first ? first.text.toLowerCase() : '*';
	const version = textOf(head) === 'v2' ? 2 : 1;
	const segments = version === 2 ? more : [head, ...more];
	const idIndex = segments.map(textOf)[0] === 'products' ? 2 : 1;
	const isJob = ['jobs', 'products'].includes(segments.map(textOf)[0] ?? '');
	const texts = segments.map((segment, index) => (isJob && index === idIndex ? '*' : textOf(segment)));
	const request = `${method} /${texts.join('/')}`;
	const endpointName = KNOWN_PATHS.find(([known]) => known.test(request))?.[1];
	const id = isJob ? segments[idIndex] : undefined;
	return (
		endpointName && {
			version,
			endpointName,
			...(id ? { jobId: renderTemplate(withoutEncoding(id)) } : {}),
			format,
		}
	);
}

/** Each endpoint's version 2 path, before and after a job ID. */
export const PATHS: Readonly<Record<EndpointName, { before: string; after: string }>> = {
	create: { before: '/v2/jobs', after: '' },
	list: { before: '/v2/jobs', after: '' },
	get: { before: '/v2/jobs/', after: '' },
	download: { before: '/v2/jobs/', after: '/download' },
	cancel: { before: '/v2/jobs/', after: '/cancel' },
	usageToday: { before: '/v2/me/usage_today', after: '' },
	usageMonth: { before: '/v2/me/usage_month', after: '' },
};
