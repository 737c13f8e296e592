/** One line of a conversion's report. Must never contain a value that may be a key. */
export interface Finding {
	/** Name of the node; set by `convertWorkflow` only. */
	node?: string;
	/** Name or path of the parameter or field. */
	parameter?: string;
	/** Line within the parameter's text, counted from 1. */
	line?: number;
	message: string;
	/** What the user should do. */
	suggestion?: string;
}

/** What a conversion changed, and what the user must check. */
export interface Findings {
	changes: Finding[];
	warnings: Finding[];
}

export const noFindings = (): Findings => ({ changes: [], warnings: [] });
