import type { IDataObject } from 'n8n-workflow';

/** What a job is called for and how it runs: nothing of it changes what a value costs, as far as practice shows. */
const WITHOUT_PRICE =
	/^(topic|source|country|key|values?|timeout|max_pages|webhook_(url|method|download_format))$/;

/** The service's own defaults, as far as practice shows them: setting one of these changes nothing. */
const USUAL_DEFAULTS: IDataObject = { max_age: '1200', condition: 'any', shipping: 'any' };

interface EstimateRules {
	/** Datasource that costs nothing. */
	testSource: string;
	/** Creation parameter that carries the callback URL. */
	webhookUrlParameter: string;
}

/**
 * Credits that a job will probably cost, in the way services of this kind charge (`docs/not-shown.md`): one for each
 * value and page, twice that where a parameter other than `max_pages` differs from the service's default. The document
 * states no price, so this is an estimate wherever it is shown; what is booked only the service knows.
 *
 * @param parameters the wire parameters of the job
 * @param values how many values it looks up
 * @returns a whole number, 0 for the test source; undefined where the number of pages cannot be read
 */
export function estimatedCredits(
	parameters: IDataObject,
	values: number,
	{ testSource, webhookUrlParameter }: EstimateRules,
): number | undefined {
	if (parameters.source === testSource) return 0;
	const pages = Number(parameters.max_pages ?? 1);
	if (!Number.isInteger(pages) || pages < 1) return undefined;
	const isPriced = ([name, value]: [string, unknown]) =>
		!WITHOUT_PRICE.test(name) && name !== webhookUrlParameter && USUAL_DEFAULTS[name] !== String(value);
	return values * pages * (Object.entries(parameters).some(isPriced) ? 2 : 1);
}
