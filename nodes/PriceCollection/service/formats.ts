import type { ConnectionSettings } from './connection';

/*
 * The formats of results, and how a request asks for one.
 */

/** The media type of each format, also for downloaded files. */
export const ACCEPT = {
	json: 'application/json',
	xml: 'application/xml',
	csv: 'text/csv',
	xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export type DownloadFormat = keyof typeof ACCEPT;

export const DOWNLOAD_FORMATS = Object.keys(ACCEPT) as DownloadFormat[];

/** The formats whose results can be read; the others are only passed on as files. */
export const READABLE_FORMATS: readonly DownloadFormat[] = ['json', 'xml'];

/** Returns the Accept header, path suffix and query parameter that select a format. */
export function formatSelectors(
	{ format = 'json' }: { format?: DownloadFormat },
	{ formatSelection, formatParameter }: Pick<ConnectionSettings, 'formatSelection' | 'formatParameter'>,
): { accept: string; suffix: string; query: Record<string, string> } {
	// The documented paths return JSON, so JSON needs no suffix. The query parameter is sent for JSON too: it does no
	// harm, and services whose default is XML need it.
	const isJson = format === 'json';
	return {
		accept: isJson || formatSelection === 'acceptHeader' ? ACCEPT[format] : '*/*',
		suffix: !isJson && formatSelection === 'pathSuffix' ? `.${format}` : '',
		query: formatSelection === 'queryParameter' ? { [formatParameter]: format } : {},
	};
}
