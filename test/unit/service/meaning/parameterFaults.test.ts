import { join } from 'node:path';

import { readCases } from '../../cases';
import { faultTexts, refusedBy } from './refused';

describe.each(readCases(join(__dirname, 'parameterFaults.cases.txt')))(
	'which parameters a refusal is about: %s',
	(_chapter, cases) => {
		test.each(cases)('%s', (_case, body = '', parameters = '', request = '', credential = '{}') => {
			const { faults } = refusedBy(body, request, credential);
			expect(faultTexts(faults).join('; ') || 'nothing').toBe(parameters);
		});
	},
);
