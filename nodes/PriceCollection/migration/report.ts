import type { Finding, Findings } from './json/findings';

function lineOf({ node, parameter, line, message, suggestion }: Finding): string {
	const locationParts = [node && `**${node}**`, parameter && `\`${parameter}\``, line && `line ${line}`];
	const location = locationParts.filter(Boolean).join(', ');
	return `- ${location && `${location}: `}${message}${suggestion ? ` ${suggestion}` : ''}`;
}

/** Each distinct line once, in order. */
const distinctLines = (findings: readonly Finding[]): string[] => [...new Set(findings.map(lineOf))];

/**
 * Writes the Markdown report of one workflow: what was converted, what to check, how to finish.
 *
 * @param name the workflow's name
 * @param credentials one step for each credential to create
 */
export function markdownReport(name: string, findings: Findings, credentials: readonly string[]): string {
	const changes = distinctLines(findings.changes);
	const warnings = distinctLines(findings.warnings);
	const steps = [
		...credentials,
		...(warnings.length > 0 ? ['Go through "What to check".'] : []),
		'Run it once by hand, with the test datasource or a few values, and compare the output of its last node with that of the original.',
		'Activate it and deactivate the original, so that nothing is collected, and paid for, twice.',
	];
	return [
		`## ${name}`,
		changes.length > 0 ? '### What was converted' : 'Nothing was converted.',
		...(changes.length > 0 ? [changes.join('\n')] : []),
		...(warnings.length > 0 ? ['### What to check', warnings.join('\n')] : []),
		...(changes.length > 0
			? ['### How to finish', steps.map((step, index) => `${index + 1}. ${step}`).join('\n')]
			: []),
	].join('\n\n');
}
