import { fieldsOf, type CredentialFields } from '../service/dialect';
import type { RequestContext } from '../service/types';

/** The credential of this node. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return fieldsOf(await context.getCredentials('priceCollectionApi'));
}
