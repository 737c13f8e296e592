import { clientFor } from '../../../nodes/PriceCollection/service/client';
import { StatusBudget } from '../../../nodes/PriceCollection/service/statusBudget';
import type { RequestContext } from '../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../fakeClient';
import { fixedClock } from '../fixedClock';

/** A client whose requests are only noted. */
function noting(): { client: ReturnType<typeof clientFor>; sent: string[] } {
	const sent: string[] = [];
	const note = async ({ url }: { url: string }): Promise<never> => {
		sent.push(url);
		throw new Error('It went out');
	};
	const context = {
		helpers: {
			httpRequest: note,
			httpRequestWithAuthentication: async (_: string, request: { url: string }) => await note(request),
		},
	};
	const clock = fixedClock();
	const client = clientFor({
		...{ context: context as unknown as RequestContext, dialect: dialectOf(), clock },
		statusBudget: new StatusBudget(clock),
	});
	return { client, sent };
}

const once = { repeat: false };

test.each(['', '.', '..'])(
	'sends nothing about a job that is called %j: it would ask another endpoint',
	async (jobId) => {
		const { client, sent } = noting();
		const outcomes = [
			await client.getJob(jobId, once),
			await client.cancelJob(jobId, once),
			await client.download(jobId, once),
			await client.downloadFile(jobId, async () => 'stored', once),
		];
		for (const outcome of outcomes) {
			expect(outcome).toMatchObject({ ok: false, problem: { kind: 'jobNotFound', effect: 'none' } });
		}
		expect(sent).toEqual([]);
	},
);

test.each(['...', 'a/b', 'a?b#c', '%2e%2e', '../x', ' ', 'a\nb', 'é'])(
	'asks for the job that is called %j and no other',
	async (jobId) => {
		const { client, sent } = noting();
		await client.getJob(jobId, once);
		const [url = ''] = sent;
		const [, id = '', ...rest] = /\/v2\/jobs\/([^/?#]*)$/.exec(url) ?? [];
		expect([decodeURIComponent(id), rest]).toEqual([jobId, []]);
	},
);
