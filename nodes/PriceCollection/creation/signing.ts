import type { IDataObject } from 'n8n-workflow';

import { callbackExpiry, signCallbackUrl } from '../callback/signature';
import type { ServiceClient } from '../service/api/client';

/** Adds the mark to the parameters of a creation: in the callback URL if it is signed, and as the label. */
export function withMark(
	{ clock, connection }: Pick<ServiceClient, 'clock' | 'connection'>,
	parameters: IDataObject,
	mark: string,
): IDataObject {
	const { labelParameter, webhookUrlParameter, webhookSecret } = connection;
	const url = parameters[webhookUrlParameter];
	const isSigned = typeof url === 'string' && url !== '' && webhookSecret !== '';
	const expiresAt = callbackExpiry(clock.now(), Number(parameters.timeout ?? NaN));
	return {
		// A label that the user sets in Additional Parameters wins.
		...(labelParameter !== '' && { [labelParameter]: mark }),
		...parameters,
		...(isSigned && {
			[webhookUrlParameter]: signCallbackUrl(url, webhookSecret, { expiresAt, nonce: mark }),
		}),
	};
}
