import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { credentialOf } from '../n8n/client';
import { errorForAgent, failureOfTool, operationError } from '../n8n/errors';
import { isTool } from '../n8n/execution';
import { runForAllItems, runForEachItem } from '../n8n/items';
import { DEFAULT_MAX_CHARACTERS, fitAnswer } from '../rows/compact';
import { DEFAULTS, readConnection } from '../service/connection';
import { operationOf, RESOURCES_WITH_CREDENTIAL } from './operations';

/** Runs the selected operation. In an AI agent's tool, {@link answerAsTool} converts its output. */
export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = String(this.getNodeParameter('resource', 0));
	const name = String(this.getNodeParameter('operation', 0));
	const operation = operationOf(resource, name);
	if (operation === undefined) {
		throw operationError(
			this.getNode(),
			`There is no operation "${name}" of "${resource}"`,
			'Choose Resource and Operation from the lists.',
		);
	}
	// Loads inside, because loading can fail while the package is updated. If the node threw an error but had to continue,
	// n8n would pass on its input.
	const output = runForAllItems.call(this, async () => {
		const execution = await operation.load();
		if ('executeAll' in execution) return await execution.executeAll.call(this);
		return [await runForEachItem.call(this, execution.execute)];
	});
	return isTool(this) ? await answerAsTool(this, resource, output) : await output;
}

/** Returns the name of the job field that holds the callback URL, which an agent must not see. */
async function callbackField(context: IExecuteFunctions): Promise<string> {
	try {
		const read = readConnection(await credentialOf(context));
		if (read.ok) return read.value.webhookUrlParameter;
	} catch {
		// The tool still answers without a readable credential, for example with the error that reports it.
	}
	return DEFAULTS.webhookUrlParameter;
}

/**
 * Converts an operation's output for an AI agent. The first output becomes one answer of limited length; errors are
 * part of the answer.
 *
 * @throws errors that n8n must see, see {@link failureOfTool}
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
	const hiddenFields = RESOURCES_WITH_CREDENTIAL.includes(resource) ? [await callbackField(context)] : [];
	// Operations with short answers do not have this option.
	const maxCharacters = Number(
		context.getNodeParameter('options.maxCharacters', 0, DEFAULT_MAX_CHARACTERS),
	);
	const answer = fitAnswer(
		readable,
		Number.isFinite(maxCharacters) ? maxCharacters : DEFAULT_MAX_CHARACTERS,
		hiddenFields,
	);
	return [answer.map((json) => ({ json, pairedItem: { item: 0 } }))];
}
