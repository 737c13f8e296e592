import type { IDataObject } from 'n8n-workflow';

import { isTool, linkedItems } from '../n8n/execution';
import { compactRows } from '../rows/compact';
import { besideInput, losesAnswer, replacedFields } from '../rows/besideInput';
import type { Remarks } from '../rows/remarks';
import type { Renderer, RowChoice } from '../rows/rows';
import type { Steps } from '../rows/steps';
import type { Requester, Run } from '../run/record';
import type { Answer } from './pairing';
import { RowTable } from './rowTable';
import { fieldsBeside } from './tickets';

/**
 * Returns a function that adds the fields of the requesting item to rows, if there is only one and this
 * execution still has it. Rows without any have the same names.
 */
function besideRequesters({ context, choices, input = context.getInputData() }: Run, remarks: Remarks) {
	const { columns, emptyValues, includeInputFields, inputFields } = choices.first;
	const empty = emptyValues === 'emptyText' ? '' : null;
	const itemsBySource = new Map<string, ReturnType<typeof linkedItems>>();
	const itemsOf = ({ source }: Requester) => {
		if (source === undefined) return input;
		const key = JSON.stringify(source);
		if (!itemsBySource.has(key)) itemsBySource.set(key, linkedItems(context, source));
		return itemsBySource.get(key);
	};
	return function* (
		[only, ...others]: readonly Requester[],
		rows: readonly IDataObject[],
	): Steps<readonly IDataObject[]> {
		if (!includeInputFields || columns === 'raw') return rows;
		// Items that only name a job requested no values.
		const isAlone = only !== undefined && others.length === 0 && ('lookups' in only || 'row' in only);
		const hasFields = isAlone && only.isOfSeveral !== true;
		const json = fieldsBeside((hasFields ? itemsOf(only)?.[only.item]?.json : undefined) ?? {});
		const isPicked = hasFields && inputFields.length > 0;
		const shown = isPicked ? remarks.pickFrom(json, inputFields) : json;
		const beside = besideInput(shown, { columns, empty });
		const combined: IDataObject[] = [];
		for (const row of rows) {
			if (empty === null && losesAnswer(json, row)) remarks.note('emptied', json);
			const replaced = combined.length === 0 ? replacedFields(json, row) : [];
			if (replaced.length > 0) remarks.note('replaced', json, replaced);
			combined.push(beside(row));
			yield 1;
		}
		return combined;
	};
}

/** A table whose rows are combined with the fields of the items that asked for them. */
export function rowTableOf(run: Run, renderer: Renderer): RowTable {
	const { context, choices } = run;
	const beside = besideRequesters(run, renderer.remarks);
	const forTool = isTool(context);
	const render = async ({ job, results, requesters, inputIndex, asked, isUnmatched }: Answer) => {
		const own = choices.byItem?.[inputIndex] ?? choices.first;
		const output = own.output === 'entries' ? 'entries' : 'results';
		// Only a single item has prices to compare.
		const givenPrices = requesters.length === 1 ? requesters[0]?.givenPrices : undefined;
		const choice: RowChoice = { ...own, output, givenPrices };
		if (isUnmatched) for (const result of results) renderer.remarks.note('unmatched', result);
		const { rows, failed } = await renderer.render(job, results, choice, asked);
		// An agent knows its question.
		const shown = forTool
			? compactRows(rows, choice, results, renderer.origin.reader)
			: beside(requesters, rows);
		return { rows: await renderer.runner.run(shown), failed };
	};
	return new RowTable(render);
}
