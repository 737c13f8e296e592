import { refusalIn } from '../../../../nodes/PriceCollection/service/refusal';
import { comparePrices } from '../../../../nodes/PriceCollection/output/bestPrice';
import { contentListOf, isFound } from '../../../../nodes/PriceCollection/output/contentList';
import { decodeBody } from '../../../../nodes/PriceCollection/service/decode/body';
import {
	readCreated,
	readJob,
	readJobList,
	readResults,
	readUsage,
	statusIn,
} from '../../../../nodes/PriceCollection/service/schemas';
import { endOf } from '../../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';

const OPTIONS = { conditions: ['new'], ignoreShops: ['a.example'], includeShipping: true, currency: 'EUR' };

/** Does with a body all that any operation could do with it. */
export async function readEverything(bytes: Buffer): Promise<void> {
	const decoded = await decodeBody(bytes, 'application/json; charset=utf-8', async () => {});
	if (!decoded.ok) return;
	const { value } = decoded;
	const dialect = dialectOf();
	for (const status of [200, 422]) {
		const reply = { status, body: decoded, excerpt: decoded.head.slice(0, 200) };
		refusalIn(reply, { endpoint: ENDPOINTS.get, jobId: 'a' }, dialect, (text) => text);
	}
	readJob(value, 'a');
	readCreated(value);
	readJobList(value);
	endOf(statusIn(value), dialect);
	readUsage(value);
	const results = readResults(value, 'a');
	for (const result of results.ok ? results.value.results : []) {
		isFound(result);
		contentListOf(result.content, result.query.topic ?? undefined);
		comparePrices(result.content, OPTIONS, { topic: result.query.topic ?? undefined });
	}
}
