import type { IExecuteFunctions } from 'n8n-workflow';

import { clientFor } from '../service/client';
import type { ServiceClient } from '../service/client';
import { readDialect } from '../service/dialect';
import type { CredentialFields } from '../service/dialect';
import type { RequestContext } from '../service/wire';
import * as clock from './clock';
import { inputError } from './errors';

/**
 * The client for the credential of this node.
 *
 * @throws NodeOperationError with a clear sentence when the credential's address cannot be used
 */
export async function serviceClient(this: RequestContext): Promise<ServiceClient> {
	const read = readDialect(await this.getCredentials<CredentialFields>('priceCollectionApi'));
	if (!read.ok) {
		const advice = 'Open the Price Collection API credential to correct it.';
		throw inputError(this.getNode(), read.message, advice);
	}
	return clientFor({ context: this, dialect: read.dialect, clock });
}

/**
 * The client for requests that must outlive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	const { helpers, logger } = this;
	const detached = {
		helpers,
		logger,
		getNode: this.getNode.bind(this),
		getCredentials: this.getCredentials.bind(this),
	};
	// n8n looks for the stop signal on the context that it is called with; the rest of it is not needed.
	return await serviceClient.call(detached as unknown as RequestContext);
}
