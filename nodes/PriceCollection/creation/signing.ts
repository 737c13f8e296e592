import type { IDataObject } from 'n8n-workflow';

import { callbackExpiry, signCallbackUrl } from '../callback/signature';
import type { ServiceClient } from '../service/api/client';

/** The parameters of a creation with its mark: in the callback URL if that is signed, and in the label. */
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
		// A label of the user's own, in Additional Parameters, counts.
		...(labelParameter !== '' && { [labelParameter]: mark }),
		...parameters,
		...(isSigned && {
			[webhookUrlParameter]: signCallbackUrl(url, webhookSecret, { expiresAt, nonce: mark }),
		}),
	};
}
