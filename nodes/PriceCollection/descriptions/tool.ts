const ROW_ANSWER =
	'Returns one row per value with the best price of a new offer (best_total is with shipping), its currency, shop and link; found: false means that there is no such product, and reason says why a value could not be looked up.';
const VALUES = 'Give all values in one call, one per line.';
const VALUE_KINDS =
	'A GTIN is a barcode number (EAN, UPC, ISBN-13) with its check digit; a search term is what a shopper types; a country is a two-letter code in lower case, such as de or gb.';
const COSTS =
	'Every new value costs credits. Within 24 hours, the same question usually gets the same answer at no cost.';
const STILL_RUNNING_NOTE = 'A row with still_running: true is not an answer yet';

/**
 * Tool descriptions of operations whose `description` is not enough for an agent. They explain the input, its cost,
 * and how to read the answer. Chat models accept up to 1,024 characters.
 */
export const TOOL_DESCRIPTIONS = {
	collect: `Looks up products in online shops and marketplaces. ${ROW_ANSWER} ${VALUES} ${VALUE_KINDS} ${COSTS} It can take a minute. ${STILL_RUNNING_NOTE}: ask exactly the same question again a little later.`,
	create: `Starts to look up products in online shops and marketplaces, and returns the job_id at once; another tool gets the results later. ${VALUES} ${VALUE_KINDS} ${COSTS}`,
	download: `Gets the results of a finished job by its job_id, and costs nothing. ${ROW_ANSWER}`,
	wait: `Waits for a job that was started before, by its job_id, and gets its results; it costs nothing and can take a minute. ${ROW_ANSWER} ${STILL_RUNNING_NOTE}: call again with the same job_id a little later.`,
} as const;
