import { identityOfRequest, type IdentityRules } from '../../../../nodes/PriceCollection/run/lookup/identity';
import type { PlannedJob } from '../../../../nodes/PriceCollection/run/lookup/plan';

const planned: PlannedJob = {
	parameters: {
		topic: 'search',
		country: 'de',
		key: 'term',
		max_age: 60,
		webhook_url: 'https://n8n.test/42',
	},
	key: 'term',
	values: ['a', 'b'],
	items: [0, 1],
	group: 0,
};
const RULES: IdentityRules = { stoodFor: { webhook_url: '' }, byItem: false };
const identity = (changes: Partial<PlannedJob> = {}, rules = RULES) =>
	identityOfRequest({ ...planned, ...changes }, rules);
const withParameters = (more: PlannedJob['parameters']) => ({
	parameters: { ...planned.parameters, ...more },
});

test.each<[string, Partial<PlannedJob>]>([
	['another callback URL', withParameters({ webhook_url: 'https://n8n.test/43' })],
	['a number written as text', withParameters({ max_age: '60' })],
	['another place in the plan', { group: 3 }],
	['another order of its values', { values: ['b', 'a'] }],
])('a request is the same with %s', (_name, changes) => {
	expect(identity(changes)).toBe(identity());
});

test('a request is the same for other items where nothing in it depends on the run', () => {
	const parameters = { topic: 'search', key: 'term' };
	expect(identity({ parameters, items: [5] })).toBe(identity({ parameters }));
});

test.each<[string, Partial<PlannedJob>]>([
	['another country', withParameters({ country: 'fr' })],
	['a parameter more', withParameters({ shipping: 'any' })],
	['another value', { values: ['a', 'c'] }],
	['a value less', { values: ['a'] }],
	['its values in one', { values: ['a\nb'] }],
])('a request is another one with %s', (_name, changes) => {
	expect(identity(changes)).not.toBe(identity());
});

test('what stands for a parameter that differs in every run is what counts, whatever items ask', () => {
	const rules = { ...RULES, stoodFor: { ...RULES.stoodFor, max_age: '={{ $now }}' } };
	expect(identity(withParameters({ max_age: 61 }), rules)).toBe(identity({}, rules));
	expect(identity({ items: [5] }, rules)).toBe(identity({}, rules));
});

test('equal requests of different items are two where each item has its own job', () => {
	const rules = { ...RULES, byItem: true };
	expect(identity({ items: [5] }, rules)).not.toBe(identity({}, rules));
});
