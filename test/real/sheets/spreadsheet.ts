import nock from 'nock';

import { answerSheets, Sheet as Spreadsheet } from '../../fakes/office/spreadsheet';

export { Spreadsheet };
export type { Cell } from '../../fakes/office/spreadsheet';

const ORIGIN = 'https://sheets.googleapis.com';

/** Answers n8n's Google Sheets node with the current sheet, until the end of the tests. */
export function useSpreadsheet(): { current: Spreadsheet } {
	const held = { current: new Spreadsheet([]) };
	beforeAll(() => {
		const google = nock(ORIGIN).persist();
		for (const method of ['GET', 'PUT', 'POST'])
			google.intercept(/.*/, method).reply((uri, sent) => {
				const documents = { spreadsheet: { Products: held.current.cells } };
				const question = { method, url: new URL(uri, ORIGIN), body: sent };
				const { status, body } = answerSheets(documents, question);
				return [status, body];
			});
	});
	afterAll(() => nock.cleanAll());
	return held;
}
