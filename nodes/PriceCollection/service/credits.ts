import type { IDataObject } from 'n8n-workflow';

/** Parameters that do not change what a value costs, as observed in practice. */
const WITHOUT_PRICE =
	/^(topic|source|country|key|values?|timeout|max_pages|webhook_(url|method|download_format))$/;

/** The service's own defaults, as observed in practice: sending one of these does not change the price. */
const USUAL_DEFAULTS: IDataObject = { max_age: '1200', condition: 'any', shipping: 'any' };

interface EstimateRules {
	/** The source that is free of charge. */
	testSource: string;
	/** Creation parameter that carries the callback URL. */
	webhookUrlParameter: string;
}

/**
 * Estimates the credits of a job the way services of this kind charge (`docs/not-shown.md`): one for each
 * value and page, two when a parameter other than `max_pages` differs from the service's default. The
 * service's document states no price, so the number is always shown as an estimate.
 *
 * @param parameters the wire parameters of the job
 * @param values how many values it looks up
 * @returns a whole number, 0 for the test source; undefined when the number of pages cannot be read
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
