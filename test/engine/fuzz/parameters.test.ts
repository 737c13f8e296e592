import fc from 'fast-check';
import { WorkflowHasIssuesError } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../sandbox/sandbox';
import { startSandbox } from '../../sandbox/sandbox';
import { runNode } from '../core';
import { time } from '../virtualClock';
import { casesOf, faultOf, PATIENCE_MS } from './fuzz';
import { anyItems, anyParameters } from './parameters';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ manualClock: true });
	time.listeners.add((milliseconds) => {
		sandbox.advance(milliseconds);
		for (const { job_id: id } of sandbox.jobs) sandbox.finishJob(id);
	});
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.reset());

/** n8n does not start a workflow of which a required field is empty. */
function refusedByN8n(error: unknown): undefined {
	if (!(error instanceof WorkflowHasIssuesError)) throw error;
}

test(
	'any parameters of any operation give items or an error that people can read',
	async () => {
		await fc.assert(
			fc.asyncProperty(anyParameters, anyItems, async (parameters, items) => {
				sandbox.reset();
				const run = await runNode(sandbox, parameters, { input: items as IDataObject[] }).catch(
					refusedByN8n,
				);
				if (run === undefined || run.waitTill) return;
				expect(faultOf(run)).toBeUndefined();
			}),
			{ numRuns: casesOf(0.15) },
		);
	},
	PATIENCE_MS,
);
