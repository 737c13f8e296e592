import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import {
	faultsIn,
	type RefusedRequest,
} from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { readCases } from '../../cases';
import { dialectOf } from '../../fakeClient';
import { faultTexts, REFUSED_BODY } from './refused';

describe.each(readCases(join(__dirname, 'parameterFaults.cases.txt')))(
	'which parameters a refusal is about: %s',
	(_chapter, cases) => {
		test.each(cases)('%s', (_case, body = '', parameters = '', request = '', credential = '{}') => {
			const { parameter, ...words } = JSON.parse(body) as IDataObject & { parameter?: string };
			const sent = request === '' ? { body: REFUSED_BODY } : (JSON.parse(request) as RefusedRequest);
			const connection = dialectOf(JSON.parse(credential) as CredentialFields);
			const faults = faultsIn([...messagesIn(words).values()], parameter, sent, connection);
			expect(faultTexts(faults).join('; ') || 'nothing').toBe(parameters);
		});
	},
);
