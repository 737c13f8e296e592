import type { Ledger } from './ledger';
import type { PlannedJob } from './plan';
import type { ConnectionSettings } from '../service/connection';
import type { Problem } from '../service/problems';

/** Names the jobs of all attempts that exist, or may exist, despite a failed request; undefined without any. */
export function existingText(
	ledger: Ledger,
	created: readonly PlannedJob[],
	problem: Problem,
): string | undefined {
	const creations = ledger.creations();
	const knownIds = [
		...created.map(({ job }) => job.job_id),
		...creations.flatMap(({ jobId }) => jobId ?? []),
	];
	const ids = [...new Set(knownIds)].join(', ');
	const advice = 'Use Wait or Download to get their results, or retry this execution.';
	const existText = ids && `These jobs were created and are running: ${ids}. ${advice}`;
	const isUnmentioned = (doubt: string) => problem.detail?.includes(doubt) !== true;
	const doubts = new Set(creations.flatMap(({ doubt }) => doubt ?? []).filter(isUnmentioned));
	return (
		[
			existText,
			...[...doubts].map(
				(doubt) => `Another request got no clear answer, so its job may exist as well. ${doubt}`,
			),
		]
			.filter(Boolean)
			.join(' ') || undefined
	);
}

/** The hint about jobs found in the list after the reply to their creation was lost; undefined without any. */
export function recoveredText(records: readonly PlannedJob[]): string | undefined {
	const recovered = records.filter(({ creation }) => creation?.recovered === true);
	if (recovered.length === 0) return undefined;
	const ids = recovered.map(({ job }) => job.job_id).join(', ');
	return `The answer to a request was lost, but the job list has the job (${ids}), so nothing was created twice.`;
}

/** The hint about parameters that the service reports as ignored; undefined without any. */
export function ignoredText(
	ignored: ReadonlySet<string>,
	{
		labelParameter,
		webhookUrlParameter,
	}: Pick<ConnectionSettings, 'labelParameter' | 'webhookUrlParameter'>,
): string | undefined {
	if (ignored.size === 0) return undefined;
	const settings = [...ignored].map((name) => {
		if (name === webhookUrlParameter) return 'Webhook URL Parameter';
		return name === labelParameter ? 'Label Parameter' : 'Request Names';
	});
	const settingNames = [...new Set(settings)].join(' and ');
	return `The service ignored parameters of this run: ${[...ignored].join(', ')}. If it has other names for them, enter those as ${settingNames} under Customize Service in the credential.`;
}
