import { readNotification } from '../../../nodes/PriceCollection/callback/payload';
import { comparePrices } from '../../../nodes/PriceCollection/rows/bestPrice';
import { contentListOf, isFound } from '../../../nodes/PriceCollection/rows/contentList';
import { priceReasons } from '../../../nodes/PriceCollection/rows/reasons';
import { decodeBody } from '../../../nodes/PriceCollection/service/http/decode/body';
import { pagingIn } from '../../../nodes/PriceCollection/service/api/jobList';
import { readRetryAfter } from '../../../nodes/PriceCollection/service/http/pacing';
import { refusalIn } from '../../../nodes/PriceCollection/service/meaning/refusal';
import {
	readCreated,
	readJob,
	readJobList,
	readResults,
	readUsage,
	statusIn,
} from '../../../nodes/PriceCollection/service/meaning/schemas';
import { endOf } from '../../../nodes/PriceCollection/service/statuses';
import { fileNameOf, oneLine } from '../../../nodes/PriceCollection/service/text';
import { redactText, redactValue } from '../../../nodes/PriceCollection/service/secrets';
import { timeOf } from '../../../nodes/PriceCollection/service/time';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { atOnce } from '../../unit/atOnce';
import { dialectOf } from '../../unit/fakeClient';
import { readerOf } from '../../unit/rows/reader';

const OPTIONS = { conditions: ['new'], ignoreShops: ['a.example'], includeShipping: true, currency: 'EUR' };
const READER = readerOf('offers: offers, deals.list', 'price: price.now, cost', 'shop: seller.name');
const SECRETS = ['a8F3kd92Lsp0xQ7z', 'a second/secret of the account'];
const CLOCK = { yieldToEventLoop: async () => {} };

/** Does with a text everything that the package does with foreign texts outside of results. */
async function readText(text: string): Promise<void> {
	oneLine(redactText(text, SECRETS), 500);
	fileNameOf(text);
	timeOf(text);
	readRetryAfter(text, 0);
	pagingIn({ next: text, total: text, [text]: text }, { link: text }, dialectOf());
	readNotification({ body: { payload: text, [text]: text }, query: { status: text } });
	await redactValue({ [text]: text }, SECRETS, CLOCK);
}

/** Does with a body everything that any operation could do. */
export async function readEverything(bytes: Buffer): Promise<void> {
	await readText(bytes.toString());
	const decoded = await decodeBody(bytes, 'application/json; charset=utf-8', CLOCK.yieldToEventLoop);
	if (!decoded.ok) return;
	const { value } = decoded;
	const dialect = dialectOf();
	for (const status of [200, 422]) {
		const reply = { status, body: decoded, excerpt: decoded.head.slice(0, 200) };
		refusalIn(reply, { endpoint: ENDPOINTS.get, jobId: 'a' }, dialect, (text) => text);
	}
	readNotification({ body: value, query: {} });
	readJob(value, 'a');
	readCreated(value);
	readJobList(value);
	endOf(statusIn(value), dialect);
	readUsage(value);
	const results = readResults(value, 'a');
	for (const result of results.ok ? results.value.results : []) {
		const about = { topic: result.query.topic ?? undefined };
		isFound(result, READER);
		contentListOf(result.content, READER, about);
		const compared = atOnce(comparePrices)(result.content, OPTIONS, about, READER);
		priceReasons(compared, 'EUR');
	}
}
