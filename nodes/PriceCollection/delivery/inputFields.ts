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
 * Returns a function that adds the fields of the requesting item to rows, if there is exactly one such item and this
 * execution still has it. Rows without input fields get the same column names.
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
		[requester, ...others]: readonly Requester[],
		rows: readonly IDataObject[],
	): Steps<readonly IDataObject[]> {
		if (!includeInputFields || columns === 'raw') return rows;
		// An item that only names a job requested no values.
		const isSoleRequester =
			requester !== undefined && others.length === 0 && ('lookups' in requester || 'row' in requester);
		const hasFields = isSoleRequester && requester.isOfSeveral !== true;
		const json = fieldsBeside((hasFields ? itemsOf(requester)?.[requester.item]?.json : undefined) ?? {});
		const isPicked = hasFields && inputFields.length > 0;
		const shownFields = isPicked ? remarks.pickFrom(json, inputFields) : json;
		const beside = besideInput(shownFields, { columns, empty });
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

/** A table whose rows include the fields of their requesting items. */
export function rowTableOf(run: Run, renderer: Renderer): RowTable {
	const { context, choices } = run;
	const beside = besideRequesters(run, renderer.remarks);
	const forTool = isTool(context);
	const render = async ({ job, results, requesters, inputIndex, requested, isUnmatched }: Answer) => {
		const itemChoice = choices.byItem?.[inputIndex] ?? choices.first;
		const output = itemChoice.output === 'entries' ? 'entries' : 'results';
		// Prices to compare belong to a single item.
		const inputPrices = requesters.length === 1 ? requesters[0]?.inputPrices : undefined;
		const choice: RowChoice = { ...itemChoice, output, inputPrices };
		if (isUnmatched) for (const result of results) renderer.remarks.note('unmatched', result);
		const { rows, failed } = await renderer.render(job, results, choice, requested);
		// An agent knows its question, so its rows need no input fields.
		const finalRows = forTool
			? compactRows(rows, choice, results, renderer.origin.reader)
			: beside(requesters, rows);
		return { rows: await renderer.runner.run(finalRows), failed };
	};
	return new RowTable(render);
}
