import { jsonParse, type IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/types';

/** Returns a JSON field's value (typed text, or an expression's result) as an object; undefined if it is not one. */
export function objectParameter(value: unknown): IDataObject | undefined {
	const object = typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: null }) : value;
	return isObject(object) ? object : undefined;
}
