import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import { useSandbox } from '../../support/useSandbox';
import { forJob, runNode, TERM_PARAMETERS } from '../support/core';
import { errorOf } from '../support/harness';

const sandbox = useSandbox();

/**
 * What the n8n 2.41 editor makes of a node's error: it appends the item, counted from 0, if the node has several items
 * and the message does not name it (`getErrorMessage` of its error view).
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
	// The failing row is named once, counted from 0 as n8n does.
	['Job is empty [item 0]', forJob('get', '={{ "" }}'), [{}, {}], {}],
	['".." is not a job ID', BY_COLUMN, [{ job: '..' }], {}],
	['".." is not a job ID [item 0]', BY_COLUMN, [{ job: '..' }, {}], {}],
	// So is a job's row, unless several rows share the job.
	[`${NO_SOURCE} [item 1]`, { ...TERM_PARAMETERS, source }, asked('google_shopping', 'nowhere'), {}],
	[NO_SOURCE, { ...TERM_PARAMETERS, source }, asked('nowhere', 'nowhere'), {}],
	// If every row would meet the same error, no row is named.
	['The service did not accept the key', BY_COLUMN, TWO, { apiKey: 'wrong' }],
	['The service does not accept connections', BY_COLUMN, TWO, { baseUrl: 'http://127.0.0.1:1' }],
])('n8n shows: %s', async (text, parameters, input, credential) => {
	const run = await runNode(sandbox, parameters, { credential, input });
	expect(headline(run, input.length)).toBe(text);
});
