import type { Asked } from './reply.ts';
import type { SandboxOptions } from '../options.ts';
import { invalidParameter } from '../refusals.ts';

export type Format = 'json' | 'xml' | 'csv' | 'xlsx';

export const MEDIA_TYPES: Record<Format, string> = {
	csv: 'text/csv; charset=utf-8',
	json: 'application/json; charset=utf-8',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	xml: 'application/xml; charset=utf-8',
};

const SUFFIX = /\.(json|xml|csv|xlsx)$/;

/** Splits `/v2/jobs/1/download.xml` into the path and the format of its suffix. */
export function splitSuffix(path: string, options: SandboxOptions): { path: string; suffix: Format | null } {
	const match = options.formatSelection.includes('suffix') ? SUFFIX.exec(path) : null;
	if (!match) return { path, suffix: null };
	return { path: path.slice(0, match.index), suffix: match[1] as Format };
}

/** The first known type. Ignores weights (`q`): clients list the type that they prefer first. */
function accepted(accept: string): Format | null {
	const types = accept.split(',').map((part) => (part.split(';')[0] ?? '').trim().toLowerCase());
	return types.map(formatOfType).find((format) => format !== null) ?? null;
}

function formatOfType(type: string): Format | null {
	if (type === 'text/xml') return 'xml';
	if (type === 'application/vnd.ms-excel') return 'xlsx';
	const found = Object.entries(MEDIA_TYPES).find(([, media]) => media.split(';')[0] === type);
	return (found?.[0] as Format | undefined) ?? null;
}

/** The format that a request asks for: by path suffix, else by parameter, else by Accept header. */
export function formatOf({ suffix, query, headers }: Asked, options: SandboxOptions): Format {
	if (suffix) return suffix;
	const { formatParameter, formatSelection } = options;
	const asked = query[formatParameter];
	if (formatSelection.includes('parameter') && asked !== undefined) {
		if (Object.hasOwn(MEDIA_TYPES, String(asked))) return asked as Format;
		const known = Object.keys(MEDIA_TYPES).join(', ');
		throw invalidParameter(formatParameter, `must be one of ${known}`);
	}
	const accept = formatSelection.includes('accept') ? accepted(headers.accept ?? '') : null;
	return accept ?? options.defaultFormat;
}
