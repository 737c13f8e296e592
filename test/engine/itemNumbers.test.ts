import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';

import { useSandbox } from '../useSandbox';
import { forJob, runNode, TERM_PARAMETERS } from './core';
import { errorOf } from './harness';

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

async function shown(parameters: INodeParameters, input: IDataObject[], credential: IDataObject = {}) {
	return headline(await runNode(sandbox, parameters, { credential, input }), input.length);
}

const BY_COLUMN = forJob('get', '={{ $json.job }}');

test('the row that a failure is about is named once, as n8n counts', async () => {
	expect(await shown(forJob('get', '={{ "" }}'), [{}, {}])).toBe('Job is empty [item 0]');
	const [row] = [{ job: '..' }];
	expect(await shown(BY_COLUMN, [row])).toBe('".." is not a job ID');
	expect(await shown(BY_COLUMN, [row, {}])).toBe('".." is not a job ID [item 0]');
});

test('the job of one row among several names that row', async () => {
	const source = '={{ { __rl: true, mode: "name", value: $json.source } }}';
	const rows = [
		{ term: 'lamp', source: 'google_shopping' },
		{ term: 'chair', source: 'nowhere' },
	];
	expect(await shown({ ...TERM_PARAMETERS, source }, rows)).toBe(
		'The service does not know this source [item 1]',
	);
});

test('a job that several rows share names none of them', async () => {
	const source = { __rl: true, mode: 'name', value: 'nowhere' };
	expect(await shown({ ...TERM_PARAMETERS, source }, [{ term: 'lamp' }, { term: 'chair' }])).toBe(
		'The service does not know this source',
	);
});

test('what every row would meet names none', async () => {
	const rows = [{ job: 'a' }, { job: 'b' }];
	expect(await shown(BY_COLUMN, rows, { apiKey: 'wrong' })).toBe('The service did not accept the key');
	expect(await shown(BY_COLUMN, rows, { baseUrl: 'http://127.0.0.1:1' })).toBe(
		'The service does not accept connections',
	);
	expect(await shown(BY_COLUMN, rows, { baseUrl: '' })).toBe(
		'The Base URL is empty. Enter the address of the service, e.g. https://api.example.com',
	);
});
