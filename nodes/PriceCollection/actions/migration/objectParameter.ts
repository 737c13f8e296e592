import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/types';

/** A JSON field's value as an object, whether it was typed or came from an expression. */
export function objectParameter(value: unknown): IDataObject | undefined {
	if (typeof value !== 'string') return isObject(value) ? value : undefined;
	try {
		const parsed: unknown = JSON.parse(value);
		return isObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}
