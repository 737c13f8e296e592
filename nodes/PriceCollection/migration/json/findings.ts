/** One line of a conversion's report. Never contains a value that may be a key. */
export interface Finding {
	/** Name of the node; only in `convertWorkflow`. */
	node?: string;
	/** Path in the node, or the name of the given parameter. */
	parameter?: string;
	/** For code: line within the parameter, from 1. */
	line?: number;
	message: string;
	/** What to write instead, if a person must decide. */
	suggestion?: string;
}

/** What a conversion changed, and what a person must check. */
export interface Findings {
	changes: Finding[];
	warnings: Finding[];
}

export const noFindings = (): Findings => ({ changes: [], warnings: [] });
