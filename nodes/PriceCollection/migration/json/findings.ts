/** One line of a conversion's report. It never carries a value that could be a key. */
export interface Finding {
	/** Name of the node, in `convertWorkflow` only. */
	node?: string;
	/** Where in the node, or which of the given parameters. */
	parameter?: string;
	/** Line within the parameter, from 1; for code. */
	line?: number;
	message: string;
	/** What to write instead, where a person has to decide. */
	suggestion?: string;
}

/** What a conversion did, and what is left for a person. */
export interface Findings {
	changes: Finding[];
	warnings: Finding[];
}

export const noFindings = (): Findings => ({ changes: [], warnings: [] });
