import { mayNameItem } from '../../../nodes/PriceCollection/n8n/expressions';

test.each([
	'={{ $now }}',
	'={{ $today.toISODate() }}, {{ $workflow.name }}',
	'={{ Math.random() }}',
	'={{ Date.now() + 5 }}',
	'={{ $execution.id }}',
	'={{ $vars.country || $env.COUNTRY }}',
	'={{ $ifEmpty($vars.country, "de") }}',
	'={{ $input.all().map(item => item.json.gtin).join("\\n") }}',
	'={{ $input.first().json.gtin }}',
	'={{ $("Sheet").last().json.gtin }}',
	"={{ $('Get row(s) in sheet')?.all().map(({ json }) => json.gtin) }}",
	'={{ $items("Sheet", 0)[0].json.gtin }}',
	'={{ `week ${ $now.weekNumber }` }}',
	'=de',
])('%s is the same for every item', (expression) => {
	expect(mayNameItem(expression)).toBe(false);
});

test.each([
	'={{ $json.gtin }}',
	'={{ $now.toISO() + $json.gtin }}',
	'={{ $data.gtin }}',
	'={{ $binary.data.fileName }}',
	'={{ $input.item.json.gtin }}',
	'={{ $input["item"].json.gtin }}',
	'={{ $input.all }}',
	'={{ $input.all()[$itemIndex].json.gtin }}',
	'={{ $position }}',
	'={{ $thisItem.json.gtin }}',
	"={{ $('Sheet').item.json.gtin }}",
	"={{ $('Sheet').itemMatching(0).json.gtin }}",
	"={{ $('Sheet').pairedItem(0).json.gtin }}",
	"={{ $('Sheet')['item'].json.gtin }}",
	"={{ $('Sheet').params.gtin }}",
	"={{ $('Sheet' + 1).first().json.gtin }}",
	"={{ $('Sheet').first().json.gtin + $('Sheet').item.json.gtin }}",
	'={{ $node["Sheet"].json.gtin }}',
	'={{ $node.Sheet.json.gtin }}',
	'={{ $item(0).$json.gtin }}',
	'={{ $parameter.values }}',
	'={{ $evaluateExpression("$" + "json.gtin") }}',
	'={{ $getPairedItem }}',
	"={{ $fromAI('gtin') }}",
	'={{ $self.gtin }}',
	'={{ $nothingThatIsKnown }}',
	// Code that only a human understands counts as naming the item.
	'={{ $js\\u006fn.gtin }}',
	'={{ this["$" + "json"].gtin }}',
	'={{ "US$" }}',
])('%s may be another value for another item', (expression) => {
	expect(mayNameItem(expression)).toBe(true);
});
