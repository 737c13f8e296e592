import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { clientFor } from '../service/api/client';
import { authenticated, credentialFields, readConnection } from '../service/connection';
import { explain } from '../service/problems';
import { StatusBudget } from '../service/http/pacing';
import type { RequestContext } from '../service/types';

/** How long the service may be silent, in milliseconds. Short, because the user is waiting. */
const TIMEOUT_MS = 20_000;

/** Builds a client context from `helpers.request`, the only request helper that n8n provides to credential tests. */
function contextFor(
	{ helpers, logger }: ICredentialTestFunctions,
	authenticate: (request: IHttpRequestOptions) => IHttpRequestOptions | undefined,
): RequestContext {
	const httpRequest = async ({ url, method, headers, qs, auth, timeout }: IHttpRequestOptions) => {
		const request = { uri: url, method, headers, qs, auth, timeout };
		const responseOptions = {
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
			followRedirect: false,
		};
		return (await helpers.request({ ...request, ...responseOptions })) as unknown;
	};
	const httpRequestWithAuthentication = async (_name: string, request: IHttpRequestOptions) =>
		await httpRequest(authenticate(request) ?? request);
	return { logger, helpers: { httpRequest, httpRequestWithAuthentication } } as unknown as RequestContext;
}

/** Tests a credential by reading today's usage, which is free. Failures have the same texts as in the node. */
export async function priceCollectionApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const fields = credentialFields(credential.data ?? {});
	const read = readConnection(fields);
	if (!read.ok) return { status: 'Error', message: read.problem };
	const connection = read.value;
	const context = contextFor(this, (request) => authenticated(request, fields, connection));
	const client = clientFor({ context, connection, clock, statusBudget: new StatusBudget(clock) });
	const usage = await client.getUsage('today', { repeat: false, timeoutMs: TIMEOUT_MS });
	if (usage.ok) return { status: 'OK', message: 'The service accepts the key' };
	const { message, description } = explain(usage.problem);
	return { status: 'Error', message: `${message}. ${description}` };
}
