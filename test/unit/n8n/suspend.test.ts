import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

import { obstacleToSuspending, resumeUrl } from '../../../nodes/PriceCollection/n8n/execution';
import { nodeContext } from '../nodeContext';

function contextWith(settings: IWorkflowSettings): IExecuteFunctions {
	const context: Partial<IExecuteFunctions> = { getWorkflowSettings: () => settings };
	return context as IExecuteFunctions;
}

describe('what keeps n8n from suspending', () => {
	it('is nothing in the n8n that the package is built against', () => {
		expect(obstacleToSuspending(contextWith({}))).toBeUndefined();
	});

	it('is an engine that cannot resume', () => {
		const settings = { engineType: 'v2' } as IWorkflowSettings;
		expect(obstacleToSuspending(contextWith(settings))).toContain('cannot suspend executions yet');
	});

	it('is an n8n that would lose what still runs', () => {
		expect(obstacleToSuspending(contextWith({}), false)).toBe(
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
