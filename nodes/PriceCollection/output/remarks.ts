import type { IDataObject } from 'n8n-workflow';

import type { PriceComparison } from './bestPrice';
import type { GivenPrices } from './comparison';

/** How many names a remark lists. */
const MOST_NAMES = 60;

const suchAs = (names: string) => (names === '' ? '' : `, such as ${names}`);

const counted = (count: number) => `${count} ${count === 1 ? 'result' : 'results'}`;
const countedRows = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`;

/** Remarks, most important first, by number of cases and the names concerned. */
const TEXTS = {
	undecided: (count: number, names: string) =>
		`In ${counted(count)} several currencies have equally many offers (${names}), so there is no best price. Set Currency in Price Options.`,
	unclear: (count: number, names: string) =>
		`In ${counted(count)} it is not clear which list holds the offers, so there is no best price. These have prices: ${names}. Enter the right one as Content List in the options.`,
	otherConditions: (count: number, names: string) =>
		`In ${counted(count)} only offers in conditions that do not count have a price (${names}), so there is no best price. By default new offers count; set Conditions in Price Options to count others.`,
	own: (count: number, names: string) =>
		`In ${countedRows(count)} Own Price is missing, or is no amount above 0 in the currency of the best price${suchAs(names)}, so there is no gap.`,
	previous: (count: number, names: string) =>
		`In ${countedRows(count)} Previous Price is missing, or is no amount above 0 in the currency of the best price${suchAs(names)}, so there is no change.`,
	otherCurrencies: (count: number) =>
		`In ${counted(count)} offers in another currency than the best price, or without a currency, were not compared.`,
	unclearEntries: (count: number, names: string) =>
		`In ${counted(count)} it is not clear which list holds the entries: each is one row with all of its content. ${names === '' ? 'There is none in it.' : `These are in it: ${names}.`} Enter the right one as Content List in the options.`,
	contentFrom: (count: number, names: string) =>
		`${counted(count)} ${count === 1 ? 'has' : 'have'} no content; these fields were used instead: ${names}.`,
	unmatched: (count: number) =>
		`${counted(count)} could not be matched to a value: they are rows of their own, linked to all items of the job.`,
} as const;

type Kind = keyof typeof TEXTS;

/** Remarks about the rows of a run, collected while they are made: each is counted and shown once. */
export class Remarks {
	private readonly noted = new Map<Kind, { about: Set<unknown>; names: Set<string> }>();
	private readonly columns = new Set<string>();
	private readonly texts: Array<{ column: string; text: string }> = [];

	/** @param fields the columns that the user chose */
	constructor(private readonly fields: readonly string[] = []) {}

	/** Adds a remark about a result; it counts once per result. */
	note(kind: Kind, result: unknown, names: readonly string[] = []): void {
		const noted = this.noted.get(kind) ?? { about: new Set(), names: new Set() };
		this.noted.set(kind, noted);
		noted.about.add(result);
		for (const name of names) noted.names.add(name);
	}

	noteComparison(
		result: unknown,
		{ undecided, otherCurrencies, otherConditions, unclear }: PriceComparison,
	): void {
		if (undecided.length > 0) this.note('undecided', result, undecided);
		if (unclear.length > 0) this.note('unclear', result, unclear);
		if (otherConditions.length > 0) this.note('otherConditions', result, otherConditions);
		if (otherCurrencies) this.note('otherCurrencies', result);
	}

	/** Remarks on prices of an item that cannot be compared. */
	noteGiven(unclear: GivenPrices): void {
		for (const [kind, given] of Object.entries(unclear) as Array<[keyof GivenPrices, unknown]>) {
			// A result may answer several items with different prices.
			this.note(kind, {}, given === null ? [] : [`"${String(given)}"`]);
		}
	}

	/** Records the columns of a row before columns are selected. */
	noteColumns(row: IDataObject): void {
		for (const name of Object.keys(row)) this.columns.add(name);
	}

	/** Records a price that stays text although numbers are wanted. */
	noteText(column: string, text: string): void {
		this.texts.push({ column, text });
	}

	/** The remarks as sentences for the user. */
	sentences(): string[] {
		const said = (Object.keys(TEXTS) as Kind[]).flatMap((kind) => {
			const noted = this.noted.get(kind);
			return noted === undefined ? [] : [TEXTS[kind](noted.about.size, named([...noted.names]))];
		});
		const missing = this.columns.size === 0 ? [] : this.fields.filter((name) => !this.columns.has(name));
		if (missing.length > 0) {
			const chosen = missing.map((name) => `"${name}"`).join(', ');
			said.unshift(
				`No row has ${missing.length === 1 ? 'the column' : 'the columns'} ${chosen}, chosen as Fields. These are there: ${named([...this.columns])}.`,
			);
		}
		const [first] = this.texts;
		if (first === undefined) return said;
		const stays =
			this.texts.length === 1 ? 'price stays a text, because it' : 'prices stay texts, because they';
		const example = `such as "${first.text}" in ${first.column}`;
		return [...said, `${this.texts.length} ${stays} cannot be told exactly as a number, ${example}.`];
	}
}

function named(all: readonly string[]): string {
	const more = all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : '';
	return `${all.slice(0, MOST_NAMES).join(', ')}${more}`;
}
