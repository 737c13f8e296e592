import type { IExecuteFunctions } from 'n8n-workflow';

import { readRowFields } from '../descriptions/rowFields';
import { inputError } from '../n8n/errors';
import { collectionOf, textOf, timeoutMsOf, type ParameterReader } from '../n8n/parameters';
import { isTool } from '../n8n/tool';
import type { ResultChoice } from '../output/fetch';

/**
 * Reads how the user wants results.
 *
 * @throws NodeOperationError when the format cannot be had with the output
 */
export function readChoice(this: IExecuteFunctions, read: ParameterReader, index: number): ResultChoice {
	const options = collectionOf(read('options', index, {}));
	const output = read('output', index, 'results') as ResultChoice['output'];
	const format = (textOf(options.format) || 'json') as ResultChoice['format'];
	if (output === 'file' && isTool(this)) {
		throw inputError(
			this.getNode(),
			'An agent cannot read a file',
			'Nothing was sent. Set Output to Results, Entries or Job.',
			index,
		);
	}
	if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
		throw inputError(
			this.getNode(),
			`${format.toUpperCase()} can only be had as a file`,
			'Set Output to File, or Format to JSON or XML.',
		);
	}
	return {
		output,
		format,
		simplify: read('simplify', index, true) !== false,
		includeNotFound: options.includeNotFound !== false,
		onFailedResult: (options.onFailedResult ?? 'include') as ResultChoice['onFailedResult'],
		contentList: textOf(options.contentList) || undefined,
		binaryPropertyName: textOf(options.binaryPropertyName) || 'data',
		fileName: textOf(options.fileName),
		timeoutMs: timeoutMsOf(options),
		...readRowFields((name, fallback) => read(name, index, fallback), options),
	};
}
