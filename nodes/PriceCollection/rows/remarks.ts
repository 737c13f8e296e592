import type { IDataObject } from 'n8n-workflow';

import { counted } from '../service/text';
import { listed, listedName } from '../values/cells';
import { picked } from './besideInput';
import { columnsByTopics, withColumns } from './columns';

/* Remarks about all rows of a run. What concerns a single row is in its reason, see `reasons.ts`. */

/** How many names a remark lists at most. */
const MOST_NAMES = 60;

function notCompared(count: number, field: string, names: readonly string[], what: string): string {
	const examples = names.length === 0 ? '' : `, such as ${listed(names, MOST_NAMES)}`;
	return `In ${counted(count, 'row')} there is no ${what}: ${field} is missing or cannot be compared${examples}. It must be an amount above 0 in the currency of the best price.`;
}

/** The texts of the remarks, most important first, for a number of cases and the names concerned. */
const REMARK_TEXTS = {
	unread: (count: number) =>
		`In ${counted(count, 'row')} something could not be read, and ${count === 1 ? 'its' : 'their'} reason says what. Output: Field Report shows all fields of the results; enter their names in Field Names in the credential.`,
	own: (count: number, names: string[]) => notCompared(count, 'Own Price', names, 'gap'),
	previous: (count: number, names: string[]) => notCompared(count, 'Previous Price', names, 'change'),
	previousTest: (count: number) =>
		`In ${counted(count, 'row')} there is no change, because a price from the test source is not compared with a real one.`,
	replaced: (_count: number, names: string[]) =>
		`The items already had ${names.length === 1 ? 'a filled column' : 'filled columns'} ${listed(names, MOST_NAMES)}, which this node overwrites. To keep the old values, rename the ${names.length === 1 ? 'column' : 'columns'}.`,
	emptied: (count: number) =>
		`${counted(count, 'item')} had a best price or a reason before and ${count === 1 ? 'has' : 'have'} none now. If these rows go to Google Sheets or Excel, the old one stays in its cell: set Empty Values to Empty Text in the options. A data table needs Null.`,
	otherCurrencies: (count: number) =>
		`In ${counted(count, 'result')} some offers were not compared, because their currency is missing or is not that of the best price.`,
	unmatched: (count: number) =>
		`${counted(count, 'result')} could not be matched to a value and ${count === 1 ? 'has a separate row' : 'have separate rows'}, linked to all items of the job.`,
	text: (count: number, [example]: string[]) =>
		`${count} ${count === 1 ? 'price stays a text, because it' : 'prices stay texts, because they'} cannot be read exactly as a number, such as ${example}.`,
};

type RemarkKind = keyof typeof REMARK_TEXTS;

/** Checks whether the names that the user chose occur in any row or item. */
class Chosen {
	private readonly seen = new Set<string>();
	private names: readonly string[] = [];

	constructor(
		private readonly owner: string,
		private readonly noun: string,
		private readonly settingLabel: string,
	) {}

	look(object: IDataObject, names: readonly string[]): void {
		this.names = names;
		for (const name of Object.keys(object)) this.seen.add(name);
	}

	isComplete(): boolean {
		return this.names.every((name) => this.seen.has(name));
	}

	/**
	 * A sentence about the chosen names that do not occur; undefined if all do.
	 *
	 * @param known names that are not reported even if they do not occur
	 */
	absentText(known?: { has(name: string): boolean }): string | undefined {
		const absent = this.names.filter((name) => !this.seen.has(name) && known?.has(name) !== true);
		if (absent.length === 0) return undefined;
		const what = `the ${this.noun}${absent.length === 1 ? '' : 's'} ${absent.map((name) => `"${name}"`).join(', ')}`;
		const available = listed([...this.seen].map(listedName), MOST_NAMES);
		return `No ${this.owner} has ${what}, chosen in ${this.settingLabel}. Available: ${available}.`;
	}
}

/** Collects remarks while the rows of a run are made. Each kind of remark is shown once, with its number of cases. */
export class Remarks {
	private readonly noted = new Map<
		RemarkKind,
		{ count: number; about: WeakSet<object>; names: Set<string> }
	>();
	private readonly columns = new Chosen('row', 'column', 'Columns to Keep');
	private readonly inputFields = new Chosen('item', 'field', 'Input Fields');

	/** Adds a remark. It counts once per object that it is about, such as a result; the object can still be freed. */
	note(kind: RemarkKind, about: object, names: readonly string[] = []): void {
		const noted = this.noted.get(kind) ?? { count: 0, about: new WeakSet(), names: new Set() };
		this.noted.set(kind, noted);
		if (!noted.about.has(about)) noted.count++;
		noted.about.add(about);
		for (const name of names) noted.names.add(name);
	}

	/** Reduces a row to the columns that the user chose. A remark lists the columns that no row has. */
	selected(row: IDataObject, names: readonly string[]): IDataObject {
		this.columns.look(row, names);
		return withColumns(row, names);
	}

	/** Returns the fields of an item that the user chose. A remark lists the fields that no item has. */
	pickFrom(item: IDataObject, names: readonly string[]): IDataObject {
		this.inputFields.look(item, names);
		return picked(item, names);
	}

	/** The remarks as sentences for the user. */
	sentences(): string[] {
		const texts = (Object.keys(REMARK_TEXTS) as RemarkKind[]).flatMap((kind) => {
			const noted = this.noted.get(kind);
			return noted === undefined ? [] : [REMARK_TEXTS[kind](noted.count, [...noted.names])];
		});
		// A column that services are known to have may be missing today and back tomorrow.
		const known = this.columns.isComplete() ? undefined : columnsByTopics();
		const absent = [this.columns.absentText(known), this.inputFields.absentText()];
		return [...absent.filter((text) => text !== undefined), ...texts];
	}
}
