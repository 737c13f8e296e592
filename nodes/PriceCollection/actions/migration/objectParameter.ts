import { jsonParse, type IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/types';

/** The value of a JSON field as an object, typed or from an expression; undefined if it is not one. */
export function objectParameter(value: unknown): IDataObject | undefined {
	const object = typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: null }) : value;
	return isObject(object) ? object : undefined;
}
