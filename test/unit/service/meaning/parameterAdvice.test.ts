import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import { settingsFor } from '../../../../nodes/PriceCollection/service/meaning/parameterAdvice';
import {
	faultsIn,
	type RefusedRequest,
} from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { readCases } from '../../cases';
import { dialectOf } from '../../fakeClient';
import { REFUSED_BODY } from './refused';

describe.each(readCases(join(__dirname, 'parameterAdvice.cases.txt')))(
	'the setting that helps: %s',
	(_chapter, cases) => {
		test.each(cases)('%s', (_case, body = '', advice = '', request = '', credential = '{}') => {
			const texts = [...messagesIn(JSON.parse(body) as IDataObject).values()];
			const sent = request === '' ? { body: REFUSED_BODY } : (JSON.parse(request) as RefusedRequest);
			const connection = dialectOf(JSON.parse(credential) as CredentialFields);
			const setting = settingsFor(faultsIn(texts, undefined, sent, connection), sent, connection);
			expect(setting ?? 'none').toBe(advice);
		});
	},
);
