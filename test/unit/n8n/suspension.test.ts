import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

import { obstacleToSuspending, resumeUrl } from '../../../nodes/PriceCollection/n8n/suspension';
import { nodeContext } from '../nodeContext';

describe('what keeps n8n from suspending', () => {
	const obstacle = (settings: object, handsOnAllOutputs?: boolean) =>
		obstacleToSuspending(
			nodeContext({ more: { getWorkflowSettings: () => settings as IWorkflowSettings } }).context,
			handsOnAllOutputs,
		);

	it('is nothing in the n8n that the package is built against, or one without settings', () => {
		expect(obstacle({})).toBeUndefined();
		expect(obstacleToSuspending({} as IExecuteFunctions)).toBeUndefined();
	});

	it('is an engine that cannot resume, or an n8n that would lose what still runs', () => {
		expect(obstacle({ engineType: 'v2' })).toContain('cannot suspend executions yet');
		expect(obstacle({}, false)).toBe(
			'Before version 2.39, n8n cannot suspend this node without losing jobs.',
		);
	});
});

it('is resumed by the URL of the execution with the node as last part of the path', () => {
	const resume = 'https://n8n.test/hooks/webhook-waiting/7?signature=abc';
	const more = { getWorkflowDataProxy: () => ({ $execution: { resumeUrl: resume } }) };
	const url = resumeUrl(nodeContext({ more }).context);
	expect(url).toBe('https://n8n.test/hooks/webhook-waiting/7/1?signature=abc');
});
