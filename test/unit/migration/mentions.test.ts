import { mentions } from '../../../nodes/PriceCollection/migration/json/workflowJson';

test.each([
	['Get', "={{ $('Get').first().json.id }}", true],
	['Get', '={{ $("Get").first().json.id }}', true],
	['Get', '={{ $node.Get.json.id }}', true],
	['Get', '={{ $("Get jobs").first().json.id }}', false],
	["It's x", String.raw`={{ $('It\'s x').first().json.id }}`, true],
	["It's x", '={{ $("It\'s x").first().json.id }}', true],
	['"A" x', String.raw`={{ $("\"A\" x").first().json.id }}`, true],
	['"A" x', `={{ $('"A" x').first().json.id }}`, true],
	['?', '={{ $("?").first().json.id }}', true],
])('%j is mentioned in %s: %s', (name, expression, expected) => {
	expect(mentions(JSON.stringify({ value: expression }), name)).toBe(expected);
});
