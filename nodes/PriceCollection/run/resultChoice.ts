import type { IExecuteFunctions } from 'n8n-workflow';

import { readRowFields } from '../descriptions/rowFields';
import { inputError } from '../n8n/errors';
import { choiceOf, collectionOf, textOf, timeoutMsOf, type ParameterReader } from '../n8n/parameters';
import { isTool } from '../n8n/tool';
import type { ResultChoice } from '../output/fetch';

const OUTPUTS = ['entries', 'file', 'job', 'results', 'status'] as const satisfies Array<
	ResultChoice['output']
>;
const FORMATS = ['json', 'xml', 'csv', 'xlsx'] as const satisfies Array<ResultChoice['format']>;
const ON_FAILED_RESULT = ['error', 'include', 'skip'] as const satisfies Array<
	ResultChoice['onFailedResult']
>;

/**
 * Reads how the user wants results.
 *
 * @throws NodeOperationError when the format cannot be had with the output, or a field holds none of its choices
 */
export function readChoice(this: IExecuteFunctions, read: ParameterReader, index: number): ResultChoice {
	const options = collectionOf(read('options', index, {}));
	const node = this.getNode();
	const output = choiceOf(node, 'Output', read('output', index, 'results'), OUTPUTS);
	const format = choiceOf(node, 'Format', textOf(options.format) || 'json', FORMATS);
	if (output === 'file' && isTool(this)) {
		throw inputError(
			node,
			'An agent cannot read a file',
			'Nothing was sent. Set Output to Results, Entries or Job With Results.',
			index,
		);
	}
	if (output !== 'file' && (format === 'csv' || format === 'xlsx')) {
		throw inputError(
			node,
			`${format.toUpperCase()} can only be had as a file`,
			'Set Output to File, or Format to JSON or XML.',
		);
	}
	return {
		output,
		format,
		simplify: read('simplify', index, true) !== false,
		includeNotFound: options.includeNotFound !== false,
		onFailedResult: choiceOf(
			node,
			'On Failed Result',
			options.onFailedResult ?? 'include',
			ON_FAILED_RESULT,
		),
		contentList: textOf(options.contentList) || undefined,
		binaryPropertyName: textOf(options.binaryPropertyName) || 'data',
		fileName: textOf(options.fileName),
		timeoutMs: timeoutMsOf(options),
		...readRowFields((name, fallback) => read(name, index, fallback), options),
	};
}
