import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../n8n/errors';
import type { Clock } from '../service/clock';
import { jobIdsOf, type RequestMemory } from './requests';
import { questionsFormat } from './stored/questions';
import type { RequestEntry } from './stored/requestRecord';

/** Where the questions stand in the static data of the tool's node: as text, because n8n marks every object in it. */
const STATIC_KEY = 'priceCollectionQuestions';
/** For so long the same question has the same answer, in milliseconds. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** Maximum questions of a node that are remembered, the latest ones. */
const MOST_QUESTIONS = 200;
/** Maximum nodes whose questions this process remembers, the latest used ones. */
const MOST_NODES = 200;
/** A creation is under way for no longer than this, in milliseconds. */
const LONGEST_CREATION_MS = 60_000;

/**
 * What this process has asked, by node. n8n saves no static data in the editor, and of executions at the same time the
 * last one to end saves its own copy over the others'.
 */
const askedHere = new Map<string, Map<string, RequestEntry>>();

function questionsOfNode(name: string): Map<string, RequestEntry> {
	const questions = askedHere.get(name) ?? new Map<string, RequestEntry>();
	// Last used, last forgotten.
	askedHere.delete(name);
	askedHere.set(name, questions);
	const [oldest] = askedHere.keys();
	if (askedHere.size > MOST_NODES && oldest !== undefined) askedHere.delete(oldest);
	return questions;
}

/** What is stored, out of its text; a text that is none of ours stays one. */
function parsed(stored: unknown): unknown {
	if (typeof stored !== 'string') return stored;
	try {
		return JSON.parse(stored);
	} catch {
		return stored;
	}
}

/** The jobs whose values all failed for passing reasons, which services of this kind do not charge. */
function failedJobs(items: readonly INodeExecutionData[]): Set<unknown> {
	const failed = new Set<unknown>();
	const answered = new Set<unknown>();
	for (const { json } of items) {
		const isFailure = json.success === false && !/not.?found/i.test(String(json.reason ?? ''));
		(isFailure ? failed : answered).add(json.job_id);
	}
	for (const jobId of answered) failed.delete(jobId);
	return failed;
}

/**
 * The questions that agents have asked this tool: for 24 hours the same one is answered from the job that it has created,
 * also when that still runs, and nothing is paid for twice.
 */
export class ToolQuestions implements RequestMemory {
	readonly outlivesRun = true;

	private readonly inProcess: Map<string, RequestEntry>;

	/** Another account does not have the jobs of this one. */
	private readonly account: string;

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly clock: Pick<Clock, 'now'>,
	) {
		const { id, credentials } = context.getNode();
		this.account = credentials?.priceCollectionApi?.id ?? '';
		this.inProcess = questionsOfNode(JSON.stringify([context.getWorkflow().id, id]));
	}

	/**
	 * Opens what is remembered.
	 *
	 * @throws NodeOperationError where it cannot be read: asking anew could be paid for twice
	 */
	static open(context: IExecuteFunctions, clock: Pick<Clock, 'now'>): ToolQuestions {
		const questions = new ToolQuestions(context, clock);
		questions.remembered();
		return questions;
	}

	get(identity: string): RequestEntry | undefined {
		return this.remembered().get(this.nameOf(identity));
	}

	isBeingAsked(identity: string): boolean {
		const entry = this.inProcess.get(this.nameOf(identity));
		return entry?.state === 'sent' && this.clock.now() < entry.sentAt + LONGEST_CREATION_MS;
	}

	jobIds(): Record<'known' | 'claimed', ReadonlySet<string>> {
		return jobIdsOf(this.remembered().values());
	}

	/** Who asks through a tool is never called back. */
	callsElsewhere(): boolean {
		return true;
	}

	set(identity: string, entry: Omit<RequestEntry, 'executionId'> | undefined): void {
		this.put(this.nameOf(identity), entry && { ...entry, executionId: '' });
	}

	/** Forgets what was not answered, so that it can be asked again; all else is answered the same way again. */
	givenOut([items = []]: INodeExecutionData[][]): void {
		const failed = failedJobs(items);
		for (const [name, { jobId }] of this.remembered()) if (failed.has(jobId)) this.put(name, undefined);
	}

	private put(name: string, entry: RequestEntry | undefined): void {
		if (entry === undefined) this.inProcess.delete(name);
		else this.inProcess.set(name, entry);
		const questions = this.remembered();
		if (entry === undefined) questions.delete(name);
		for (const known of this.inProcess.keys()) if (!questions.has(known)) this.inProcess.delete(known);
		const stored = questionsFormat.write({ questions: Object.fromEntries(questions) });
		this.context.getWorkflowStaticData('node')[STATIC_KEY] = JSON.stringify(stored);
	}

	/** What the workflow and this process remember and still counts, the latest last. */
	private remembered(): Map<string, RequestEntry> {
		const { context, clock } = this;
		const read = questionsFormat.read(parsed(context.getWorkflowStaticData('node')[STATIC_KEY]));
		if (read.kind === 'unreadable') {
			throw inputError(
				context.getNode(),
				`${read.reason}, so it is not known which questions are paid for already`,
				'Nothing was sent. Install the newer version again, or put a new node in the place of this one.',
			);
		}
		const stored = read.kind === 'read' ? Object.entries(read.value.questions) : [];
		const known = new Map([...stored, ...this.inProcess]);
		const oldest = clock.now() - COUNTS_FOR_MS;
		const recent = [...known].filter(([, { sentAt }]) => sentAt > oldest);
		return new Map(recent.sort(([, a], [, b]) => a.sentAt - b.sentAt).slice(-MOST_QUESTIONS));
	}

	private nameOf(identity: string): string {
		return `${this.account}:${identity}`;
	}
}
