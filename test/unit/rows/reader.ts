import { ContentReader } from '../../../nodes/PriceCollection/rows/contentReader';
import type { RowService } from '../../../nodes/PriceCollection/rows/rows';
import { readFieldNames } from '../../../nodes/PriceCollection/service/fieldNames';

/** A reader of contents with these Field Names, one meaning in each line. */
export function readerOf(...names: string[]): ContentReader {
	const read = readFieldNames([names.join('\n')]);
	if (!read.ok) throw new Error(read.problem);
	return new ContentReader(read.value);
}

/** What making rows needs of a service, with a test's clock. */
export const serviceOf = (clock: RowService['clock']): RowService => ({
	clock,
	connection: { fieldNames: {}, testSource: 'sandbox' },
});
