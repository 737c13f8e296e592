import type { IDataObject } from 'n8n-workflow';

import type { Findings } from './json/findings';
import { convertEntries, isKeyName } from './request/creation';

/**
 * Converts a version 1 job's parameters to version 2. Does not change the input.
 *
 * @param topic added if the parameters have none
 */
export function convertParameters(
	parameters: IDataObject,
	topic: string,
): Findings & { parameters: IDataObject } {
	const input = Object.entries(structuredClone(parameters)).map(([name, value]) => ({ name, value }));
	const kept = input.filter(({ name }) => !isKeyName(name));
	const { entries, findings } = convertEntries(kept, kept);
	for (const { name } of input.filter((entry) => isKeyName(entry.name))) {
		findings.changes.push({ parameter: name, message: `The key in "${name}" was removed.` });
		findings.warnings.push({
			parameter: name,
			message: 'A key does not belong in parameters.',
			suggestion: 'Create a Price Collection API credential with it.',
		});
	}
	if (!entries.some(({ name }) => name === 'topic')) {
		entries.unshift({ name: 'topic', value: topic });
		findings.changes.push({ parameter: 'topic', message: `"topic: ${topic}" was added.` });
	}
	const converted = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
	return { parameters: converted as IDataObject, ...findings };
}
