import type { PlannedJob } from '../../../nodes/PriceCollection/creation/plan';

/** The values of each job, and which item asks for which of them at which place. */
export const shown = (jobs: PlannedJob[]) =>
	jobs.map(({ request: { values }, requesters }) => [
		values.join(' '),
		requesters.map(
			({ item, lookups = [] }) => `${item}: ${lookups.map((one) => one.join('=')).join(' ')}`,
		),
	]);
