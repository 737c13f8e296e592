import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { credentialOf } from '../n8n/client';
import { errorForAgent, failureOfTool, inputError } from '../n8n/errors';
import { isTool } from '../n8n/execution';
import { runForAllItems, runForEachItem } from '../n8n/items';
import { DEFAULT_MAX_CHARACTERS, fitAnswer } from '../rows/compact';
import { DEFAULTS, readConnection } from '../service/connection';
import { operationOf, RESOURCES_WITH_CREDENTIAL } from './operations';

/** Runs the operation that the node is set to, of an AI agent's tool with {@link answerAsTool}. */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = String(this.getNodeParameter('resource', 0));
	const name = String(this.getNodeParameter('operation', 0));
	const operation = operationOf(resource, name);
	if (operation === undefined) {
		throw inputError(
			this.getNode(),
			`There is no operation "${name}" of "${resource}"`,
			'Choose Resource and Operation from the lists.',
		);
	}
	// Also if it cannot be loaded, as while the package is updated: n8n passes on the input of a node that throws.
	const output = runForAllItems.call(this, async () => {
		const execution = await operation.load();
		if ('executeAll' in execution) return await execution.executeAll.call(this);
		return [await runForEachItem.call(this, execution.execute)];
	});
	return isTool(this) ? await answerAsTool(this, resource, output) : await output;
}

/** The field of a job with its callback URL, which an agent must not see. */
async function callbackField(context: IExecuteFunctions): Promise<string> {
	try {
		const read = readConnection(await credentialOf(context));
		if (read.ok) return read.value.webhookUrlParameter;
	} catch {
		// Without a readable credential there is an answer all the same, such as an error that says so.
	}
	return DEFAULTS.webhookUrlParameter;
}

/**
 * An operation's output for an AI agent. The first output becomes one answer of limited length; errors are
 * part of the answer.
 *
 * @throws errors that n8n must see, see `failureOfTool`
 */
async function answerAsTool(
	context: IExecuteFunctions,
	resource: string,
	output: Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	const items = await output.then(
		([first = []]) => first,
		(thrown: unknown) => failureOfTool(context, thrown),
	);
	const readable = items.map((item) => errorForAgent(item).json);
	const hidden = RESOURCES_WITH_CREDENTIAL.includes(resource) ? [await callbackField(context)] : [];
	// Operations with short answers do not have the option.
	const most = Number(context.getNodeParameter('options.maxCharacters', 0, DEFAULT_MAX_CHARACTERS));
	const answer = fitAnswer(readable, Number.isFinite(most) ? most : DEFAULT_MAX_CHARACTERS, hidden);
	return [answer.map((json) => ({ json, pairedItem: { item: 0 } }))];
}
