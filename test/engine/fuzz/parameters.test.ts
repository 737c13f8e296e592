import { WorkflowHasIssuesError } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { useSandboxInTime } from '../support/collecting';
import { runNode } from '../support/core';
import { time } from '../support/virtualClock';
import { faultOf, fuzz } from './fuzz';
import { anyItems, anyParameters } from './parameters';

const sandbox = useSandboxInTime({ manualClock: true });
beforeAll(() => time.listeners.add(() => sandbox.jobs.forEach(({ job_id: id }) => sandbox.finishJob(id))));

/** n8n does not start a workflow if a required field is empty. */
function refusedByN8n(error: unknown): undefined {
	if (!(error instanceof WorkflowHasIssuesError)) throw error;
}

fuzz(
	'any parameters of any operation give items or an error that people can read',
	0.15,
	[anyParameters, anyItems],
	async (parameters, items) => {
		sandbox.reset();
		const running = runNode(sandbox, parameters, { input: items as IDataObject[] });
		const run = await running.catch(refusedByN8n);
		if (run === undefined || run.waitTill) return;
		expect(faultOf(run)).toBeUndefined();
	},
);
