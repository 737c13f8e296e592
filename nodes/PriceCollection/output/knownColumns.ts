import { eachTopic, topicTraits, type TopicChoice } from '../service/topics';
import { NO_PRICE } from './bestPrice';
import { CONTEXT_COLUMNS } from './columns';
import { flattenEntries, flattenResult } from './flatten';

/** The columns of a topic's flat rows, in their order, as far as practice shows the fields of its content. */
export function knownColumns(topic: TopicChoice, output: 'entries' | 'results'): string[] {
	const { content, entry, lists } = topicTraits(topic);
	const empty = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
	const context = { ...empty(CONTEXT_COLUMNS), topic };
	const [list] = lists;
	const product = empty(content);
	if (output === 'results') {
		const whole = list === undefined ? product : { ...product, [list]: null };
		return Object.keys(flattenResult(context, whole, NO_PRICE));
	}
	const entries = list === undefined ? product : { ...product, [list]: [empty(entry)] };
	return flattenEntries(context, entries).flatMap(Object.keys);
}

/** Every known column, with the topics that have it. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	for (const { topic, columns } of eachTopic((topic) => ({ topic, columns: columnsOf(topic) }))) {
		for (const name of columns) found.set(name, [...(found.get(name) ?? []), topic]);
	}
	// Of a topic that the user names anything may come.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}

function columnsOf(topic: TopicChoice): Set<string> {
	return new Set([...knownColumns(topic, 'results'), ...knownColumns(topic, 'entries')]);
}
