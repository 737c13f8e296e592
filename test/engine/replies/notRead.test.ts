import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useCollecting } from '../support/collecting';
import { forJob, itemsOf } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { finishedJob } from '../support/triggerSupport';

/** What a service may do that the node reports instead of reading. `services/points` generates services that work. */
useDedupeStore();
const { sandbox, collect, creations, idOf } = useCollecting();

describe.each(['list', 'empty', 'timedOut'] as const)(
	'a creation that is answered without a job: %s',
	(createReply) => {
		it('is found in a list that shows what it asks for', async () => {
			sandbox.setOptions({ createReply, listFields: ['order', 'values', 'times'] });
			const { rows, error } = await collect(['kettle', 'mug']);
			expect([rows, error, creations()]).toEqual([['a kettle true', 'b mug true'], '', 1]);
		});

		it('is not sent again where the list shows less: the error names the job, also that of a retry', async () => {
			sandbox.setOptions({ createReply, listFields: [] });
			const run = await collect(['kettle', 'mug']);
			const again = await run.retry();
			for (const { rows, error } of [run, again]) {
				expect(rows).toEqual([]);
				expect(error).toContain('the job may exist');
				expect(error).toContain(idOf());
			}
			expect(creations()).toBe(1);
		});
	},
);

describe('contents under another name', () => {
	it.each<[SandboxOptions['resultContent'], string]>([
		['data', 'data'],
		['flat', 'total_search_result_count, search_results'],
		['beside', 'total_search_result_count, search_results'],
	])('are not found, but named, and in the columns All: %s', async (resultContent, named) => {
		sandbox.setOptions({ resultContent });
		const jobId = await finishedJob(sandbox, { values: 'kettle', source: 'amazon' });
		const [row = {}, ...others] = await itemsOf(
			sandbox,
			forJob('download', jobId, { output: 'results', columns: 'all' }),
		);
		expect(others).toEqual([]);
		expect([row.found, row.best_price, row.reason]).toEqual([
			...[false, null],
			expect.stringMatching(new RegExp(`^no content, .*: ${named}$`)),
		]);
		for (const field of named.split(', ')) expect(row[field] ?? null).not.toBeNull();
	});
});
