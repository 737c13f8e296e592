import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';
import { forJob, runNode, TERM_PARAMETERS } from '../support/core';
import { errorOf } from '../support/harness';

const sandbox = useSandbox();

/**
 * What the editor of n8n 2.41 makes of a node's error: behind the message it puts the item, counted from 0, where the node
 * has several and the message does not name it (`getErrorMessage` of its error view).
 */
function headline(run: IRun, inputItems: number): string {
	const error = errorOf(run);
	if (error === undefined) throw new Error('The run did not fail');
	const { itemIndex } = (error as { context?: { itemIndex?: number } }).context ?? {};
	const item = inputItems > 1 && itemIndex !== undefined ? `item ${itemIndex}` : '';
	return error.message.includes(item) ? error.message : `${error.message} [${item}]`;
}

const BY_COLUMN = forJob('get', '={{ $json.job }}');
const source = '={{ { __rl: true, mode: "name", value: $json.source } }}';
const asked = (...sources: string[]) => sources.map((one) => ({ term: `about ${one}`, source: one }));

const TWO = [{ job: 'a' }, { job: 'b' }];
const NO_SOURCE = 'The service does not know this source';

test.each<[string, INodeParameters, IDataObject[], IDataObject]>([
	// The row that a failure is about is named once, as n8n counts.
	['Job is empty [item 0]', forJob('get', '={{ "" }}'), [{}, {}], {}],
	['".." is not a job ID', BY_COLUMN, [{ job: '..' }], {}],
	['".." is not a job ID [item 0]', BY_COLUMN, [{ job: '..' }, {}], {}],
	// So is the row of a job; of one that several rows share, none is.
	[`${NO_SOURCE} [item 1]`, { ...TERM_PARAMETERS, source }, asked('google_shopping', 'nowhere'), {}],
	[NO_SOURCE, { ...TERM_PARAMETERS, source }, asked('nowhere', 'nowhere'), {}],
	// Nor is one where every row would meet the same.
	['The service did not accept the key', BY_COLUMN, TWO, { apiKey: 'wrong' }],
	['The service does not accept connections', BY_COLUMN, TWO, { baseUrl: 'http://127.0.0.1:1' }],
])('n8n shows: %s', async (text, parameters, input, credential) => {
	const run = await runNode(sandbox, parameters, { credential, input });
	expect(headline(run, input.length)).toBe(text);
});
