import { join } from 'node:path';

import { settingsFor } from '../../../../nodes/PriceCollection/service/meaning/parameterAdvice';
import { readCases } from '../../cases';
import { refusedBy } from './refused';

describe.each(readCases(join(__dirname, 'parameterAdvice.cases.txt')))(
	'the setting that helps: %s',
	(_chapter, cases) => {
		test.each(cases)('%s', (_case, body = '', advice = '', request = '', credential = '{}') => {
			const { faults, sent, connection } = refusedBy(body, request, credential);
			expect(settingsFor(faults, sent, connection) ?? 'none').toBe(advice);
		});
	},
);
