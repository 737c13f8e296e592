import type { IDataObject } from 'n8n-workflow';

import type {
	ConnectionSettings,
	CredentialFields,
} from '../../../../nodes/PriceCollection/service/connection';
import {
	faultsIn,
	type RefusedRequest,
} from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import type { ParameterFault } from '../../../../nodes/PriceCollection/service/problems';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { dialectOf } from '../../fakeClient';

/** What a creation sends in the tables of parameters, whose introductions list it. */
const REFUSED_BODY = {
	...{ topic: 'search', source: 'test', country: 'de', key: 'gtin', value: '42', max_age: 9, tag: 'x' },
	...{ webhook_url: 'https://n8n.example.test/x', timeout: 5, sort_by: 'price' },
};

/** What a refusal says of parameters, as in "source: missing" or "unsent markt is source: missing". */
export const faultTexts = (faults: readonly ParameterFault[]) =>
	faults.map(({ serviceName, parameter, complaint, isSent }) =>
		[
			isSent ? '' : 'unsent ',
			serviceName === parameter ? parameter : `${serviceName} is ${parameter}`,
			': ',
			complaint,
		].join(''),
	);

interface Refused {
	faults: ParameterFault[];
	sent: RefusedRequest;
	connection: ConnectionSettings;
}

/** What a refusal says of parameters, by the cells of a table: its body, what was sent, and the credential, each as JSON. */
export function refusedBy(body: string, request: string, credential: string): Refused {
	const { parameter, ...words } = JSON.parse(body) as IDataObject & { parameter?: string };
	const sent = request === '' ? { body: REFUSED_BODY } : (JSON.parse(request) as RefusedRequest);
	const connection = dialectOf(JSON.parse(credential) as CredentialFields);
	const faults = faultsIn([...messagesIn(words).values()], parameter, sent, connection);
	return { faults, sent, connection };
}
