import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { errorForAgent, failureOfTool, inputError } from '../../../nodes/PriceCollection/n8n/errors';
import { isTool } from '../../../nodes/PriceCollection/n8n/execution';

/** A node as n8n's engine runs it, or as an agent does by itself. */
function contextOf(more: Partial<INode> = {}, byAgent = false): IExecuteFunctions {
	const node = { id: '1', name: 'Prices', type: 'x.priceCollectionTool', typeVersion: 1, ...more };
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getNode: () => node,
		isToolExecution: () => byAgent,
	};
	return context as unknown as IExecuteFunctions;
}

const refusal = (item?: number) =>
	inputError(contextOf().getNode(), 'Values is empty', 'Enter what to look up.', item);

/** What n8n gets to see; undefined where the agent gets an answer. */
function seen(context: IExecuteFunctions): Error | undefined {
	try {
		failureOfTool(context, refusal(0));
		return undefined;
	} catch (error) {
		return error as Error;
	}
}

describe('a tool', () => {
	it('is told by its type, or by n8n', () => {
		expect(isTool(contextOf())).toBe(true);
		expect(isTool(contextOf({ type: 'x.priceCollection' }))).toBe(false);
		expect(isTool(contextOf({ type: 'x.priceCollection' }, true))).toBe(true);
	});

	it('answers an agent that runs it by itself what went wrong and what to do', () => {
		expect(failureOfTool(contextOf({}, true), refusal(0))).toEqual([
			{ json: { error: 'Values is empty. Enter what to look up.' }, pairedItem: { item: 0 } },
		]);
	});

	it('shows n8n the same where that runs it, tries again or is to stop', () => {
		const sentence = 'Values is empty. Enter what to look up.';
		expect(seen(contextOf())?.message).toBe(sentence);
		expect(seen(contextOf({ retryOnFail: true }, true))?.message).toBe(sentence);
		expect(seen(contextOf({ onError: 'stopWorkflow' }, true))?.message).toBe(sentence);
		expect(seen(contextOf({ onError: 'continueRegularOutput' }, true))).toBeUndefined();
	});

	it('puts no text twice, and none without an end', () => {
		const node = contextOf().getNode();
		const told = (message: string, description?: string) => {
			const [item] = failureOfTool(
				contextOf({}, true),
				new NodeOperationError(node, message, { description }),
			);
			return item?.json.error;
		};
		expect(told('Try again later.', 'Try again later.')).toBe('Try again later.');
		expect(told('What now?', 'Nothing.')).toBe('What now? Nothing.');
		expect(told('It broke')).toBe('It broke');
		expect(String(told('x'.repeat(5_000))).length).toBe(2_000);
	});

	it('makes one text of an error item, and leaves other items as they are', () => {
		const item = { json: { error: 'Values is empty [item 1]', message: 'Enter it.', id: 'a' } };
		expect(errorForAgent(item).json).toEqual({ error: 'Values is empty. Enter it.', id: 'a' });
		const row = { json: { value: 'kettle', message: 'kept' } };
		expect(errorForAgent(row)).toBe(row);
	});
});
