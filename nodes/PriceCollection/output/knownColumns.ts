import { eachTopic, topicTraits, type TopicChoice } from '../service/topics';
import { NO_COMPARISON } from './comparison';
import { rowsOf, type RowChoice } from './rows';

/** The columns of a topic's flat rows, in order, as far as its fields were observed in practice. */
export function knownColumns(
	topic: TopicChoice,
	output: RowChoice['output'],
	columns: RowChoice['columns'] = 'all',
): string[] {
	const { content, entry, lists } = topicTraits(topic);
	const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
	const [list] = lists;
	const entries = list === undefined ? {} : { [list]: output === 'entries' ? [empty(entry)] : null };
	const result = { query: { topic }, success: true, content: { ...empty(content), ...entries } };
	const choice: RowChoice = {
		...{ output, columns, includeNotFound: true, onFailedResult: 'include' },
		bestPrice: { ignoreShops: [], includeShipping: true },
	};
	return rowsOf({ job_id: null, status: null }, result, choice).flatMap(Object.keys);
}

/** Every known column, with the topics that have it. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	for (const { topic, columns } of eachTopic((topic) => ({ topic, columns: columnsOf(topic) }))) {
		for (const name of columns) found.set(name, [...(found.get(name) ?? []), topic]);
	}
	// A topic named by the user may have any column.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}

function columnsOf(topic: TopicChoice): Set<string> {
	return new Set([
		...knownColumns(topic, 'results'),
		...knownColumns(topic, 'entries'),
		...Object.keys(NO_COMPARISON),
	]);
}
