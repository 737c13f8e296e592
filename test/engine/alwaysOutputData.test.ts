import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { collecting, itemsOf, useSandboxInTime } from './collecting';
import { useDedupeStore } from './dedupeStore';
import { items, runWorkflow } from './harness';
import { callTrigger, runCalled } from './trigger';
import { finishedJob, triggerScenario } from './triggerSupport';

/** What n8n's setting does to the nodes of this package, as the README warns. */
const sandbox = useSandboxInTime();
useDedupeStore();

describe.each([
	[true, [{}]],
	[false, []],
])('with Always Output Data: %p', (alwaysOutputData, onFinished) => {
	const collect = async (term: string, parameters: INodeParameters): Promise<IDataObject[][]> => {
		const run = await runWorkflow(collecting(sandbox, itemsOf(term), parameters, { alwaysOutputData }));
		return [items(run, 'Prices'), items(run, 'Prices', 1)];
	};

	it('jobs that all leave by Still Running leave this on Finished', async () => {
		const running = [expect.objectContaining({ still_running: true })];
		expect(await collect('slow kettle', { waitOptions: { maxWait: 1 } })).toEqual([onFinished, running]);
	});

	it('rows that are all left out leave this', async () => {
		const options = { includeNotFound: false };
		expect(await collect('notfound', { options })).toEqual([onFinished, []]);
	});

	it('a repeated call that the trigger drops leaves this', async () => {
		const [body, built] = [
			{ job_id: await finishedJob(sandbox) },
			() => {
				const scenario = triggerScenario(sandbox, new PriceCollectionTrigger());
				return { ...scenario, nodes: scenario.nodes.map((one) => ({ ...one, alwaysOutputData })) };
			},
		];
		// Another process each time: the second one knows the end from n8n's store only.
		const called = async () => {
			const scenario = built();
			const { reply } = await callTrigger(scenario, 'Ends', { body });
			return await runCalled(scenario, 'Ends', reply);
		};
		expect(await called()).toEqual([expect.objectContaining(body)]);
		expect(await called()).toEqual(onFinished);
	});
});
