import type { INode, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useCollecting } from '../support/collecting';
import { createJob, DOWN, LOST, NEVER_SENT } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { locator } from '../support/common';
import { time } from '../support/virtualClock';

const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 3 };
const HOUR_MS = 3_600_000;
/** More jobs than a service shows that lists its newest 20. */
const CROWD = 25;
const SHOWS: Partial<SandboxOptions> = { listFields: ['order', 'values', 'counters', 'times'] };

useDedupeStore();
const { sandbox, collect, create, fail, idOf } = useCollecting();
afterEach(() => jest.restoreAllMocks());

const mayBe = () => `may be this job: ${idOf()}.`;
const crowd = async () => {
	for (let count = 0; count < CROWD; count++) await create(`something else ${count}`);
};

describe('the reply to a creation is lost, and the list spells things differently', () => {
	it.each<[string, Partial<SandboxOptions>, 'taken' | 'named']>([
		['as we do', {}, 'taken'],
		['keyword for term', { listSpelling: ['keyword'] }, 'taken'],
		['values in lower case', { listSpelling: ['lowerCase'] }, 'named'],
		['all of it', { listSpelling: ['capitals', 'keyword', 'plain', 'joined', 'cut'] }, 'named'],
		['times a second ahead', { clockSkewMs: 1_000 }, 'taken'],
		['times some minutes ahead', { clockSkewMs: 240_000 }, 'named'],
		['times some minutes behind', { clockSkewMs: -240_000 }, 'named'],
		['replies hours ahead of the times', { dateSkewMs: 6 * HOUR_MS }, 'named'],
		['replies hours behind the times', { dateSkewMs: -6 * HOUR_MS }, 'named'],
		['local times as if they were UTC', { jobTimes: 'localWithZ', zoneMinutes: -300 }, 'named'],
		['local times of the East', { jobTimes: 'localWithZ', zoneMinutes: 330 }, 'named'],
		['times without a zone', { jobTimes: 'withoutZone', zoneMinutes: -300 }, 'named'],
		['no times', { jobTimes: 'absent' }, 'named'],
		['numbers for source, topic and country', { listSpelling: ['numbers'] }, 'named'],
		['short words for the source', { listSpelling: ['shortSource'] }, 'named'],
		['what nobody sent as well', { listDefaults: 'all' }, 'named'],
	])('%s: no retry creates anything twice', async (_way, service, becomes) => {
		sandbox.setOptions({ ...SHOWS, ...service });
		fail('create', LOST);
		const asked = ['Café crème', 'USB-C/Kabel (2 m)', 'Kettle 1'];
		const run = await collect(asked, {}, RETRY);
		const byHand = becomes === 'named' ? await run.retry() : run;
		expect(sandbox.jobs).toHaveLength(1);
		for (const { done, error } of [run, byHand]) {
			const taken = asked.map((value, index) => ({ linked: 'abc'[index], value, found: true }));
			expect(done).toMatchObject(becomes === 'taken' ? taken : []);
			expect(error).toContain(becomes === 'named' ? mayBe() : '');
		}
	});
});

it('is found by its label, whatever else the list shows and by whichever clock', async () => {
	const odd: Partial<SandboxOptions> = {
		listSpelling: ['numbers'],
		jobTimes: 'absent',
		listDefaults: 'all',
	};
	sandbox.setOptions({ ...SHOWS, ...odd, labelParameter: 'tag' });
	fail('create', LOST);
	const labelled = { customizeService: true, labelParameter: 'tag' };
	expect((await collect(['kettle'], {}, RETRY, labelled)).rows).toEqual(['a kettle true']);
	fail('create', NEVER_SENT);
	expect((await collect(['kettle'], {}, RETRY, labelled)).rows).toEqual(['a kettle true']);
	expect(sandbox.jobs).toHaveLength(2);
});

describe('the jobs of the run that are known', () => {
	const PER_ITEM: INodeParameters = { options: { grouping: 'perItem' } };

	it('show that the list is late', async () => {
		sandbox.setOptions({ ...SHOWS, listLagMs: 90_000 });
		fail('create', LOST, { nth: 2 });
		await collect(['kettle', 'mug'], PER_ITEM, RETRY);
		expect(sandbox.jobs).toHaveLength(2);
	});

	it.each<[string, Partial<SandboxOptions>]>([
		['by which clock jobs are dated', { dateSkewMs: 6 * HOUR_MS }],
		['in which zone', { jobTimes: 'localWithZ', zoneMinutes: -300 }],
		['what the list shows of every job', { listDefaults: 'all' }],
	])('show %s', async (_what, service) => {
		sandbox.setOptions({ ...SHOWS, ...service });
		fail('create', LOST, { nth: 2 });
		const { rows } = await collect(['kettle', 'mug'], PER_ITEM, RETRY);
		expect([rows, sandbox.jobs.length]).toEqual([['a kettle true', 'b mug true'], 2]);
	});
});

it('does not take the job of somebody else who asks for more pages of the same', async () => {
	sandbox.setOptions(SHOWS);
	await createJob(sandbox, { values: 'kettle', max_pages: 5 });
	fail('create', NEVER_SENT);
	const { error } = await collect(['kettle'], {}, RETRY);
	expect(error).toContain(mayBe());
	expect(sandbox.jobs).toHaveLength(1);
});

describe('a list that ends at its newest jobs', () => {
	it.each(['capped', 'pages'] as const)('proves nothing absent that is older: %s', async (listPaging) => {
		sandbox.setOptions({ ...SHOWS, listPaging, listMaxPageSize: 20 });
		fail('create', LOST);
		fail('list', DOWN, 'always');
		const failed = await collect(['kettle']);
		sandbox.faults.clear();
		time.skip(60_000);
		await crowd();
		const { done, error } = await failed.retry();
		expect(sandbox.jobs).toHaveLength(1 + CROWD);
		if (listPaging === 'pages') expect(done).toMatchObject([{ value: 'kettle' }]);
		else expect(error).toContain('the list may not reach back to the time of this request');
	});

	it('proves absent what was asked for since its oldest one', async () => {
		sandbox.setOptions({ ...SHOWS, listPaging: 'capped', listMaxPageSize: 20 });
		await crowd();
		// Longer ago than any time zone is behind.
		time.skip(15 * HOUR_MS);
		fail('create', NEVER_SENT);
		expect((await collect(['kettle'], {}, RETRY)).rows).toEqual(['a kettle true']);
		expect(sandbox.jobs).toHaveLength(CROWD + 1);
	});
});

it.each([true, false])(
	'an expression that is the same for two items in one try only: %j',
	async (isFirst) => {
		let reads = 0;
		const [real, start] = [Date.now(), time.skipped];
		const isLater = () => time.skipped > start;
		jest.spyOn(Date, 'now').mockImplementation(() => real + (isLater() === isFirst ? ++reads : 0));
		fail('create', LOST, { nth: isFirst ? 1 : [1, 2] });
		const options = { maxAge: '={{ 60 + ($now.toMillis() % 1000) + 0 * $itemIndex }}' };
		await collect(['kettle', 'kettle'], { options }, { ...RETRY, onError: 'continueRegularOutput' });
		expect(sandbox.jobs).toHaveLength(isFirst ? 1 : 2);
	},
);

describe('a switch, a number or a choice that an expression gives', () => {
	const limits = ['maxCredits', 'maxValues'].flatMap((name) =>
		['={{ undefined }}', '={{ null }}', '={{ "" }}', '={{ $json.limit }}', '', 'a few'].map(
			(given): [INodeParameters, RegExp] => [
				name === 'maxCredits' ? { [name]: given } : { options: { [name]: given } },
				/^(Spending Limit|Max Values) cannot be .* It takes a number/,
			],
		),
	);
	const pick = (mode: string, value: string) => locator(mode, `={{ ${value} }}`);
	it.each<[INodeParameters, RegExp]>([
		...limits,
		[
			{ useTestSource: '={{ "maybe" }}' },
			/^Use Test Source cannot be "maybe" It takes true or false\. Nothing/,
		],
		[{ source: pick('name', '["amazon", "ebay"]') }, /Source cannot be \["amazon","ebay"\]/],
		[{ source: pick('name', '{ name: "amazon" }') }, /Source cannot be {"name":"amazon"}/],
		[{ country: pick('code', '["de", "at"]') }, /Country cannot be \["de","at"\]/],
		[{ country: pick('code', '{ code: "de" }') }, /Country cannot be {"code":"de"}/],
		[{ waitMode: 'durable', waitOptions: { maxWait: 999999999999 } }, /^Max Wait cannot be 999999999999/],
	])('that is none stops the run before anything is sent, and is named: %j', async (given, message) => {
		expect((await collect(['kettle'], given)).error).toMatch(message);
		expect(sandbox.requests).toEqual([]);
	});

	const ofItem = ['$thisItem.json.country', '$data.country', '$items()[$position].json.country'];
	it.each(ofItem)('a country of the item beside a date is that of each item: %s', async (ofItem) => {
		const asked = ['de', 'at'].map((country) => ({ id: `item ${country}`, term: 'kettle', country }));
		const country = locator('code', `={{ $now.year > 0 ? ${ofItem} : '' }}`);
		const { done } = await collect(asked, { country });
		expect(sandbox.jobs).toMatchObject([{ country: 'de' }, { country: 'at' }]);
		expect(done).toMatchObject([
			{ linked: 'item de', country: 'de' },
			{ linked: 'item at', country: 'at' },
		]);
	});

	it('each item has its own Webhook URL called', async () => {
		sandbox.setOptions({ webhookDelayMs: 2 ** 30 });
		const hooks = ['a', 'b', 'c'].map((id) => `https://n8n.example.test/webhook/${id}`);
		const asked = hooks.map((hook) => ({ id: hook, term: 'kettle', hook }));
		await collect(asked, { options: { webhookUrl: '={{ $json.hook }}' } });
		expect(sandbox.jobs.map(({ webhookUrl }) => webhookUrl)).toEqual(hooks);
	});

	it('a topic by an expression may be a custom one', async () => {
		sandbox.setOptions({ topics: ['deals'] });
		const parameters = { topic: "={{ 'custom' }}", customTopic: 'deals', lookupKey: "={{ 'term' }}" };
		expect((await collect(['kettle'], parameters)).error).toBe('');
		expect(sandbox.jobs).toMatchObject([{ topic: 'deals', key: 'term', values: ['kettle'] }]);
	});
});
