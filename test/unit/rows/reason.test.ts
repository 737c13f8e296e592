import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import ts from 'typescript';

import { startJobs } from '../../../nodes/PriceCollection/creation/create';
import { deliver } from '../../../nodes/PriceCollection/delivery/deliver';
import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import type { BestPriceOptions } from '../../../nodes/PriceCollection/rows/offers';
import { rowsOf as rowsInSteps, type RowChoice } from '../../../nodes/PriceCollection/rows/rows';
import { newRecord, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/api/client';
import { requestResults } from '../../../nodes/PriceCollection/service/api/download';
import { readResults } from '../../../nodes/PriceCollection/service/meaning/schemas';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS, type JobResults } from '../../../nodes/PriceCollection/service/types';
import { ChoiceReader } from '../../../nodes/PriceCollection/settings/resultChoice';
import { atOnce } from '../atOnce';
import { readCases } from '../cases';
import { ledgerOf } from '../creation/ledgerOf';
import { fakeClient } from '../fakeClient';
import { nodeContext } from '../nodeContext';
import { readerOf } from './reader';

const rowsOf = atOnce(rowsInSteps);

const TABLE = readCases(join(__dirname, 'reason.cases.txt'));
const BEST_PRICES = readCases(join(__dirname, 'bestPrice.cases.txt'));

const CHOICE: RowChoice = {
	...{ output: 'results', columns: 'all', includeNotFound: true, onFailedResult: 'include' },
	bestPrice: { ignoreShops: [], includeShipping: true },
};

/** The reasons of rows as the table writes them. */
const told = (rows: readonly IDataObject[]) =>
	rows.map(({ reason }) => String(reason ?? 'nothing')).join(' / ');

/** How the rows of a content are made. */
interface Options extends Partial<BestPriceOptions> {
	/** The condition that the job asked for, Content List, and Field Names. */
	job?: string;
	list?: string;
	names?: string[];
	topic?: string;
	/** `entries`: One Row per Offer. */
	output?: 'entries';
}

/** The rows of a result with this content. */
function rowsOfContent(content: unknown, options: Options): IDataObject[] {
	const { job, list, names = [], topic = 'product_and_offers', output, ...prices } = options;
	const choice: RowChoice = {
		...{ ...CHOICE, contentList: list, bestPrice: { ...CHOICE.bestPrice, ...prices } },
		...(output && { output, columns: 'main' }),
	};
	const result = { query: { topic }, success: true, content: content as IDataObject };
	const requested = { value: 'a', parameters: { condition: job } };
	const origin = { reader: readerOf(...names), testSource: 'sandbox' };
	return rowsOf({ job_id: 'j', status: 'finished' }, result, choice, origin, requested);
}

const NOW = 1_800_000_000_000;
const problemOf = (given: Partial<Problem>): Problem => ({
	...{ kind: 'unavailable', endpoint: ENDPOINTS.download, effect: 'none', ...given },
});

/** What was asked for, and how it was waited for. */
interface Asked {
	/** The values of the job; null for a job that was created elsewhere. */
	values?: string[] | null;
	/** How many seconds the node waited before it gave the job up. */
	waited?: number;
	/** What is wrong with all requests about the job. */
	trouble?: Partial<Problem>;
	/** The status after the node has cancelled the job at its deadline. */
	cancelled?: string;
}

/** A job's rows, as the service describes it, beside another job of the run that has ended. */
async function rowsOfJob(
	body: IDataObject,
	{ values = ['a'], waited = 0, trouble, cancelled }: Asked,
): Promise<IDataObject[]> {
	let now = NOW;
	const fake = fakeClient({ now: () => now, pause: async (pause) => void (now += pause) });
	const { connection, endOf } = fake.client;
	const job = { job_id: 'j', status: 'finished', results: [], ...body };
	const unused = async () => failure(problemOf({}));
	const client: ServiceClient = {
		...fake.client,
		cancelJob: async () => success(Object.assign(job, { status: cancelled })),
		getJob: async () => success(job),
		download: async ({ jobId, isOver: isKnownOver }) => {
			const isOther = jobId === 'other';
			const read = readResults(isOther ? { results: [{ success: true, content: {} }] } : job, jobId);
			if (!read.ok) throw new Error(read.problem);
			const value: JobResults = read.value;
			const reply = { value, isEmpty: value.results.length === 0, status: 200 };
			return await requestResults({
				...{ isKnownOver, format: 'json', customStatuses: connection, fromJob: unused },
				download: async () =>
					trouble === undefined || isOther ? success(reply) : failure(problemOf(trouble)),
				job: async () => success(job),
			});
		},
	};
	const parameters = { topic: 'product_and_offers' };
	const lookups = values?.map((value, position): [number, string] => [position, value]);
	const request = values === null ? undefined : { parameters, key: 'term', values };
	const times = { checkedAt: NOW, since: NOW, deadline: NOW + waited * 1_000 };
	const record: JobRecord = {
		...newRecord('j', [{ item: 0, ...(lookups && { lookups }) }], request),
		...{ job, end: endOf(job.status), ...times },
		...(endOf(job.status) === undefined && trouble && { trouble: problemOf(trouble) }),
	};
	const other = { ...newRecord('other', [{ item: 1 }]), end: 'results' as const, ...times };
	const first = { ...CHOICE, format: 'json', includeInputFields: false };
	const run = {
		...{ client, records: [record, other], unsent: [], choices: { first } },
		context: nodeContext({ items: [{}, {}] }).context,
		wait: { mode: 'poll', onDeadline: cancelled === undefined ? 'rows' : 'cancel' },
	} as unknown as Run;
	const [finished = []] = (await deliver(run)).outputs;
	return finished.map(({ json }) => json).filter(({ job_id }) => job_id === 'j');
}

/** The rows of a value whose job the service refuses to create, after it has created one. */
async function rowsWithoutJob(refusal: Partial<Problem>): Promise<IDataObject[]> {
	const refused = problemOf({ endpoint: ENDPOINTS.create, ...refusal });
	let count = 0;
	const create = () => (++count === 1 ? success({ job_id: 'j', status: 'new' }) : failure(refused));
	const { client } = fakeClient({ create });
	const values = '={{ $json.term }}';
	const { context } = nodeContext({
		parameters: { topic: 'search', values, options: { grouping: 'perItem' } },
		items: [{ term: 'a' }, { term: 'b' }],
		expressions: { [values]: (item) => ['a', 'b'][item] },
		more: { getExecutionId: () => '7' },
	});
	const fields = new NodeFields(context);
	const choiceReader = new ChoiceReader(context, fields);
	const settings = {
		fields,
		choiceReader,
		ledger: ledgerOf().ledger,
		continuesWithoutRoom: true,
		until: 0,
	};
	const { unsent } = await startJobs(context, client, settings);
	return unsent.map(({ row }) => ({ reason: row?.reason }));
}

describe.each(TABLE)('the reason of a row. %s', (chapter, cases) => {
	test.each(cases)('%s', async (_name, came = '', given = '', reasons = '') => {
		const [what, options] = [JSON.parse(came), JSON.parse(given || '{}')] as [IDataObject, IDataObject];
		if (chapter.startsWith('Jobs: ')) expect(told(await rowsOfJob(what, options))).toBe(reasons);
		else if (chapter.startsWith('Not sent: ')) expect(told(await rowsWithoutJob(what))).toBe(reasons);
		else expect(told(rowsOfContent(what, options))).toBe(reasons);
	});
});

/** Where the sentences are: all in a file, or, if it has others, too, only those in these declarations. */
const SENTENCES: Array<[file: string, declarations: string[]]> = [
	['rows/reasons.ts', []],
	['rows/entryReasons.ts', []],
	['delivery/pairing.ts', []],
	['delivery/overdue.ts', ['timeWaited', 'reasonText', 'runningReason', 'lateReason']],
	['delivery/deadline.ts', ['cancelledOutput']],
	['creation/create.ts', ['rowsWithoutRoom']],
	['service/meaning/jobState.ts', ['NO_RESULTS', 'reasonOf', 'troubleOf']],
	['service/meaning/schemas.ts', ['readResult']],
	['service/types.ts', ['SUCCESS_UNKNOWN']],
];
/** Fills in for a currency that is chosen but not given, which the types allow and the settings do not. */
const UNREACHABLE = ['this currency'];

/** The texts of several words in a piece of code, as patterns in which any text may replace what is filled in. */
function sentencesIn(node: ts.Node): string[] {
	if (ts.isImportDeclaration(node)) return [];
	const parts = ts.isTemplateExpression(node)
		? [node.head, ...node.templateSpans.map(({ literal }) => literal)]
		: ts.isStringLiteralLike(node)
			? [node]
			: [];
	const texts = parts.map(({ text }) => text);
	const isSentence = /\p{L}{2}/u.test(texts.join('')) && texts.join('').includes(' ');
	const inner: string[] = [];
	ts.forEachChild(node, (child) => void inner.push(...sentencesIn(child)));
	const escaped = texts.map((text) => text.replace(/[()?.]/g, '\\$&'));
	return isSentence && !UNREACHABLE.includes(texts[0] ?? '') ? [escaped.join('.+'), ...inner] : inner;
}

const nameOf = (node: ts.Node): string | undefined => {
	const named = ts.isVariableStatement(node) ? node.declarationList.declarations[0] : node;
	return named !== undefined && (ts.isFunctionDeclaration(named) || ts.isVariableDeclaration(named))
		? named.name?.getText()
		: undefined;
};

const REASONS = [
	...TABLE.flatMap(([, cases]) => cases.map((cells) => cells[3] ?? '')),
	...BEST_PRICES.flatMap(([, cases]) => cases.map((cells) => cells[4] ?? '')),
];

test.each(SENTENCES)('each sentence of %s has a case', (file, declarations) => {
	const path = join(__dirname, '../../../nodes/PriceCollection', file);
	const { statements } = ts.createSourceFile(
		path,
		readFileSync(path, 'utf8'),
		ts.ScriptTarget.Latest,
		true,
	);
	const isDeciding = (one: ts.Statement) =>
		declarations.length === 0 || declarations.includes(nameOf(one) ?? '');
	const deciding = statements.filter(isDeciding);
	expect(deciding.length).toBeGreaterThanOrEqual(declarations.length);
	const sentences = deciding.flatMap(sentencesIn);
	expect(sentences).not.toEqual([]);
	const isSaid = (sentence: string) => REASONS.some((reason) => new RegExp(sentence).test(reason));
	expect(sentences.filter((sentence) => !isSaid(sentence))).toEqual([]);
});
