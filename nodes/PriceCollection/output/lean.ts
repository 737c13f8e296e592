import type { IDataObject } from 'n8n-workflow';

/** An agent pays for every word it reads: lists inside a row are cut to this length. */
const LONGEST_LIST = 10;

/** A row for an AI agent: without empty columns, and with long lists cut, saying how long they were. */
export function leanRow(row: IDataObject): IDataObject {
	const lean: IDataObject = {};
	for (const [name, value] of Object.entries(row)) {
		if (value === null || value === undefined || value === '') continue;
		if (Array.isArray(value) && value.length > LONGEST_LIST) {
			lean[name] = value.slice(0, LONGEST_LIST);
			lean[`${name}_total`] = value.length;
		} else if (!Array.isArray(value) || value.length > 0) {
			lean[name] = value;
		}
	}
	return lean;
}
