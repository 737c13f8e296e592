import { ENDPOINTS } from './endpoints';
import { traitsOf, type Problem } from './problems';
import { oneLine } from './text';

/** About a request that may have taken effect although no proper answer came, by what it was to do. */
function uncertainty(problem: Problem): string {
	return problem.endpoint === ENDPOINTS.cancel
		? 'It is unclear whether the job was cancelled: check its status (Get) before you continue.'
		: 'It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice.';
}

/** A text as a sentence among others. */
function sentence(text: string): string {
	return /[.!?…]["')\]]?$/.test(text) ? text : `${text}.`;
}

/** The service's own words, put together: `"missing parameter" (parameter key): Provide the …`. */
function wordsOf(problem: Problem): string | undefined {
	const { reason, parameter, comment } = problem;
	const about = parameter === undefined ? '' : ` (parameter ${parameter})`;
	const words = [reason && `"${reason}"${about}`, comment].filter(Boolean).join(': ');
	return words && sentence(`The service says: ${words}`);
}

/**
 * The texts for a problem.
 *
 * @returns `message`, one short sentence; `description`, what to do, the service's own words and the endpoint
 */
export function explain(problem: Problem): { message: string; description: string } {
	const { message, advice, retry, namesParameter } = traitsOf(problem);
	const { retryAfterMs } = problem;
	const unknown = problem.effect === 'unknown';
	const status = problem.status === undefined ? '' : `, HTTP ${problem.status}`;
	// Most likely another server has answered, which creates no jobs: the address is what to look at first.
	const adviceFirst = problem.kind === 'htmlBody';
	const sentences = [
		adviceFirst && advice,
		unknown && uncertainty(problem),
		// To try again would be wrong while a lost request may have taken effect.
		!adviceFirst && !(unknown && retry === 'reads') && advice,
		wordsOf(problem),
		problem.detail && sentence(problem.detail),
		retryAfterMs !== undefined && `The service asks to wait ${Math.ceil(retryAfterMs / 1000)} seconds.`,
		`Endpoint: ${problem.endpoint.text}${status}.`,
	];
	const parameter = problem.parameter !== undefined && namesParameter ? `: ${problem.parameter}` : '';
	return {
		message: oneLine(`${message}${parameter}`),
		description: oneLine(sentences.filter(Boolean).join(' ')),
	};
}
