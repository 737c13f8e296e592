import type { IDataObject } from 'n8n-workflow';

import { type Entry, readObjectText } from '../code/objects';
import { flattenTemplate, isExpression, renderTemplate } from '../code/template';
import { isRecord, type WorkflowNode } from '../json/workflowJson';
import { readPairs, writePairs } from './pairs';

/*
 * Reads what HTTP Request nodes send: versions 1 and 2 (`requestMethod`, `…ParametersUi`, `…ParametersJson`), and
 * versions 3 to 4.5 (`method`, `send…`, `specify…`).
 */

export type RequestPart = 'query' | 'body' | 'headers';

/** The parameters in one part of a request. */
export interface Section {
	place: RequestPart;
	/** Name of the node's parameter. */
	parameter: string;
	entries: Entry[];
	/** The entries before the conversion. */
	original: readonly Entry[];
	/** Stores changed entries in the node's parameters. */
	write: (parameters: IDataObject, entries: readonly Entry[]) => void;
}

export interface HttpParameters {
	method: string;
	url: string;
	sections: Section[];
	/** Names of the node's parameters that could not be read. */
	unreadable: string[];
}

export const isHttpRequest = (node: WorkflowNode): boolean =>
	node.type === 'n8n-nodes-base.httpRequest' || node.type === 'n8n-nodes-base.httpRequestTool';

/** Versions 1 and 2 name their parameters differently from later versions. */
export const isClassic = (node: WorkflowNode): boolean => node.typeVersion < 3;

type FoundSection = Section | { unreadable: string } | undefined;

function pairSection(place: RequestPart, parameters: IDataObject, key: string, list: string): FoundSection {
	const container = parameters[key];
	const rows = isRecord(container) ? container[list] : undefined;
	if (isExpression(container) || isExpression(rows)) return { unreadable: key };
	if (!Array.isArray(rows)) return undefined;
	const entries = rows.filter(isRecord).map(({ name, value, ...row }): Entry => {
		const otherFields = Object.keys(row).length > 0 ? { row } : {};
		return { name: typeof name === 'string' ? name : '', value, ...otherFields };
	});
	const write: Section['write'] = (target, changed) => {
		const written = changed.map(({ name, value, row }) => ({ ...row, name, value }));
		target[key] = { [list]: written } as IDataObject;
	};
	return { place, parameter: key, entries, original: entries, write };
}

function textSection(place: RequestPart, parameters: IDataObject, key: string): FoundSection {
	const value = parameters[key];
	if (value === undefined || value === '') return undefined;
	const text = readObjectText(value);
	if (!text) return { unreadable: key };
	const write: Section['write'] = (target, changed) => {
		target[key] = text.write(changed) as IDataObject[string];
	};
	return { place, parameter: key, entries: text.entries, original: text.entries, write };
}

function formSection(parameters: IDataObject, key: string): FoundSection {
	const value = parameters[key];
	if (typeof value !== 'string' || value === '') return undefined;
	const entries = readPairs(flattenTemplate(value));
	if (entries.some(({ name }) => isExpression(name))) return { unreadable: key };
	const write: Section['write'] = (target, changed) => {
		target[key] = renderTemplate(writePairs(changed));
	};
	return { place: 'body', parameter: key, entries, original: entries, write };
}

const CLASSIC = [
	['query', 'queryParameters'],
	['body', 'bodyParameters'],
	['headers', 'headerParameters'],
] as const;

const classicSections = (parameters: IDataObject, method: string): FoundSection[] =>
	CLASSIC.map(([place, key]) => {
		if (place === 'body' && !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) return undefined;
		if (parameters.jsonParameters !== true)
			return pairSection(place, parameters, `${key}Ui`, 'parameter');
		const isBinary = place === 'body' && parameters.sendBinaryData === true;
		return isBinary ? { unreadable: key } : textSection(place, parameters, `${key}Json`);
	});

function bodySection(parameters: IDataObject): FoundSection {
	const { contentType = 'json', specifyBody = 'keypair', rawContentType } = parameters;
	if (contentType === 'binaryData') return { unreadable: 'inputDataFieldName' };
	const isForm = contentType === 'form-urlencoded' && specifyBody === 'string';
	const isRaw = contentType === 'raw';
	if (isForm || (isRaw && String(rawContentType).includes('urlencoded')))
		return formSection(parameters, 'body');
	if (isRaw) return textSection('body', parameters, 'body');
	if (contentType === 'json' && specifyBody === 'json') return textSection('body', parameters, 'jsonBody');
	return pairSection('body', parameters, 'bodyParameters', 'parameters');
}

function modernSections(parameters: IDataObject): FoundSection[] {
	const { sendQuery, specifyQuery, sendBody, sendHeaders, specifyHeaders } = parameters;
	const section = (place: RequestPart, specify: unknown, json: string, list: string): FoundSection =>
		specify === 'json'
			? textSection(place, parameters, json)
			: pairSection(place, parameters, list, 'parameters');
	return [
		sendQuery === true ? section('query', specifyQuery, 'jsonQuery', 'queryParameters') : undefined,
		sendBody === true ? bodySection(parameters) : undefined,
		sendHeaders === true
			? section('headers', specifyHeaders, 'jsonHeaders', 'headerParameters')
			: undefined,
	];
}

/** Reads an HTTP Request node; undefined if the method is an expression, or the method or URL is not a text. */
export function readHttpRequest(node: WorkflowNode): HttpParameters | undefined {
	const { parameters } = node;
	const { url } = parameters;
	const method = (isClassic(node) ? parameters.requestMethod : parameters.method) ?? 'GET';
	if (typeof method !== 'string' || typeof url !== 'string' || isExpression(method)) return undefined;
	const found = isClassic(node) ? classicSections(parameters, method) : modernSections(parameters);
	return {
		method: method.toUpperCase(),
		url,
		sections: found.filter((one): one is Section => one !== undefined && 'place' in one),
		unreadable: found.flatMap((one) => (one && 'unreadable' in one ? [one.unreadable] : [])),
	};
}
