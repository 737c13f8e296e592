// What is mutated, and which unit tests the mutants have to get past.
//
// The core is what decides about money, rows and forged calls by itself: pure functions, the formats that outlive a
// process, and the small states behind the triggers. Outside of it stand what only passes things on (operations, the
// client, n8n's context: `test/engine` and `test/e2e` hold those as a whole, far too slowly for thousands of mutants),
// descriptions (`docs/reference.md` is made of them, and `test/unit/descriptions/names` knows what workflows store) and migration (done once for a workflow, by rules
// that its cases spell out).

/**
 * Groups of files, small enough that few tests run for each mutant. Both are patterns: `files` below
 * nodes/PriceCollection without `.ts`, `tests` below test/unit without `.test.ts`. A mutant is killed by the tests of its
 * own group or not at all: whoever reads a file finds in them what it has to do.
 */
export const GROUPS = [
	{
		name: 'matching and planning',
		files: ['run/lookup/*', 'run/{lost,plan}'],
		tests: ['run/lookup/*', 'run/{assemble,lost,plan,request}'],
	},
	{
		name: 'best price',
		files: ['output/{amounts,bestPrice,condition,contentList}'],
		tests: ['output/{amounts,bestPrice*,comparison,condition,contentList,rows}'],
	},
	{
		name: 'problems and budget',
		files: ['service/{problems,pacing,time}'],
		tests: ['service/{problems,pacing,time}', 'n8n/errors', 'run/proof', 'trigger/polling/pollingState'],
	},
	{
		name: 'records',
		files: ['run/{ledger,look,proof}'],
		tests: ['run/{create,deliver,formats,ledger,look,namedJobs,proof,suspend,tickets}'],
	},
	{ name: 'signatures', files: ['callback/*'], tests: ['callback/*'] },
	{
		name: 'callback states',
		files: ['trigger/webhook/{answers,processedJobs}', 'trigger/polling/{ends,pollingState}'],
		tests: ['trigger/webhook/{answers,processedJobs}', 'trigger/polling/*'],
	},
	{
		name: 'decoding',
		files: ['service/decode/*', 'service/{jobList,refusal}'],
		tests: ['service/decode/*', 'service/{jobList,refusal}*'],
	},
	{
		name: 'names, statuses and replies',
		files: ['service/{names,schemas,statuses}'],
		tests: ['service/{names,schemas,statuses}'],
	},
];

/** The part of all mutants that has to be killed, in percent. */
export const THRESHOLD = 94;
