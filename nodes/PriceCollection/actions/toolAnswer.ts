import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { credentialOf } from '../n8n/client';
import { errorForAgent, failureOfTool } from '../n8n/errors';
import { DEFAULT_MAX_CHARACTERS, fitAnswer } from '../output/answer';
import { DEFAULTS, readConnection } from '../service/connection';

/** The field of a job with its callback URL, which an agent must not see. */
async function callbackField(context: IExecuteFunctions): Promise<string> {
	const read = readConnection(await credentialOf(context));
	return read.ok ? read.value.webhookUrlParameter : DEFAULTS.webhookUrlParameter;
}

/** The option Max Characters; operations with short answers do not have it. */
function maxCharacters(context: IExecuteFunctions): number {
	const most = Number(context.getNodeParameter('options.maxCharacters', 0, DEFAULT_MAX_CHARACTERS));
	return Number.isFinite(most) ? most : DEFAULT_MAX_CHARACTERS;
}

/**
 * Runs an operation for an AI agent. The first output becomes one answer of limited length; errors are part
 * of the answer.
 *
 * @throws errors that n8n must see, see `failureOfTool`
 */
export async function answerAsTool(
	context: IExecuteFunctions,
	usesCredential: boolean,
	run: () => Promise<INodeExecutionData[][]>,
): Promise<INodeExecutionData[][]> {
	const items = await run().then(
		([first = []]) => first,
		(thrown: unknown) => failureOfTool(context, thrown),
	);
	const readable = items.map((item) => errorForAgent(item).json);
	const hidden = usesCredential ? [await callbackField(context)] : [];
	const answer = fitAnswer(readable, maxCharacters(context), hidden);
	return [answer.map((json) => ({ json, pairedItem: { item: 0 } }))];
}
