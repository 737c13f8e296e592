import { jsonParse, type IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/types';

/** A JSON field's value as an object, whether it was typed or came from an expression. */
export function objectParameter(value: unknown): IDataObject | undefined {
	const object = typeof value === 'string' ? jsonParse<unknown>(value, { fallbackValue: null }) : value;
	return isObject(object) ? object : undefined;
}
