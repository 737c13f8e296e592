import type { IDataObject } from 'n8n-workflow';

import { counted } from '../n8n/hints';
import type { ConnectionSettings } from '../service/connection';
import { figureOf } from '../service/types';
import type { ValueCounts } from './assemble';
import type { Aside, JobRecord } from './record';
import { estimateOf, estimateText } from './spending';

const MOST_NAMED = 3;

/** The sum of the credits that downloads state; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const kinds = ['paid', 'free'].flatMap((kind) => {
		const numbers = roots.flatMap((root) => figureOf(root[`${kind}_credits`]) ?? []);
		return numbers.length === 0 ? [] : [`${numbers.reduce((a, b) => a + b)} ${kind}`];
	});
	return kinds.length === 0 ? undefined : `Credits used: ${kinds.join(', ')}.`;
}

/** A sentence about values that were not sent; undefined when all were. */
export function unsentText(asides: readonly Aside[], haveRows: boolean): string | undefined {
	const unsent = asides.flatMap(({ row }) => row ?? []);
	if (unsent.length === 0) return undefined;
	const values = unsent.flatMap(({ query: { value } }) => (value ? [`"${String(value)}"`] : []));
	const named = values.length > MOST_NAMED ? [...values.slice(0, MOST_NAMED), '…'] : values;
	const blank = unsent.length - values.length;
	const kinds = [
		blank && `${blank} blank`,
		values.length && `${values.length} not valid: ${named.join(', ')}`,
	];
	const count = `${counted(unsent.length, 'value')} ${unsent.length === 1 ? 'was' : 'were'} not sent and cost nothing`;
	return `${count} (${kinds.filter(Boolean).join('; ')}). ${haveRows ? 'Their rows say why.' : 'They have no rows.'}`;
}

/**
 * "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. Credits used: 690 free. Estimate: …"
 *
 * @param jobs the jobs that are output, with the root object of each
 */
export function summaryOf(
	jobs: ReadonlyArray<{ record: JobRecord; root: IDataObject }>,
	{ found, notFound, failed, unanswered }: ValueCounts,
	connection: ConnectionSettings,
): string {
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const records = jobs.map(({ record }) => record);
	// Jobs of the test source are free although they state credits.
	const booked = jobs.flatMap(({ record: { request }, root }) =>
		(root.source ?? request?.parameters.source) === connection.testSource ? [] : [root],
	);
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${left}`}.`,
		creditsOf(booked),
		booked.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimateOf(records, connection)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
}
