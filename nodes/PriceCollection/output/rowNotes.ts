import type { PriceComparison } from './bestPrice';

/** Names listed in one remark. */
const MOST_NAMES = 60;

/** "1 result", "2 results". */
function results(count: number): string {
	return `${count} ${count === 1 ? 'result' : 'results'}`;
}

/** What is worth telling about the rows of a run, gathered while they are made. */
export class RowNotes {
	private readonly columns = new Set<string>();
	private readonly currencies = new Set<string>();
	private readonly lists = new Set<string>();
	private readonly counts = { undecided: 0, otherCurrencies: 0, beatsNew: 0, unclear: 0, texts: 0 };
	private text: { column: string; text: string } | undefined;

	/** @param fields the columns that the user chose */
	constructor(private readonly fields: readonly string[] = []) {}

	/** A row has these columns, whichever of them leave. */
	addColumns(columns: readonly string[]): void {
		for (const name of columns) this.columns.add(name);
	}

	/** A price stays text although numbers are wanted. */
	addText(column: string, text: string): void {
		this.counts.texts++;
		this.text ??= { column, text };
	}

	addComparison({ undecided, otherCurrencies, beatsNew, unclear }: PriceComparison): void {
		for (const name of undecided) this.currencies.add(name);
		for (const name of unclear) this.lists.add(name);
		if (undecided.length > 0) this.counts.undecided++;
		if (unclear.length > 0) this.counts.unclear++;
		if (otherCurrencies) this.counts.otherCurrencies++;
		if (beatsNew) this.counts.beatsNew++;
	}

	/** Sentences for the user, the ones to act upon first. */
	remarks(): string[] {
		const { undecided, otherCurrencies, beatsNew, unclear, texts } = this.counts;
		const remarks: string[] = [];
		const missing = this.columns.size === 0 ? [] : this.fields.filter((name) => !this.columns.has(name));
		if (missing.length > 0) {
			remarks.push(
				`No row has ${missing.length === 1 ? 'the column' : 'the columns'} ${missing.map((name) => `"${name}"`).join(', ')}, chosen as Fields. These are there: ${named(this.columns)}.`,
			);
		}
		if (undecided > 0) {
			remarks.push(
				`In ${results(undecided)} as many offers are in one currency as in another (${named(this.currencies)}), so there is no best price. Set Currency in Best Price Options.`,
			);
		}
		if (unclear > 0) {
			remarks.push(
				`In ${results(unclear)} it is not clear which list holds the offers, so there is no best price. These have prices: ${named(this.lists)}. Name the right one as Content List in the options.`,
			);
		}
		if (beatsNew > 0) {
			remarks.push(
				`In ${results(beatsNew)} the best price is of a used or refurbished offer although a new one has a price. Set Conditions in Best Price Options to new to compare new ones only.`,
			);
		}
		if (otherCurrencies > 0) {
			remarks.push(
				`In ${results(otherCurrencies)} offers in other currencies than that of the best price, or in none, were not compared.`,
			);
		}
		if (this.text !== undefined) {
			remarks.push(
				`${texts} ${texts === 1 ? 'price stays a text, because it' : 'prices stay texts, because they'} cannot be told exactly as a number, such as "${this.text.text}" in ${this.text.column}.`,
			);
		}
		return remarks;
	}
}

function named(names: ReadonlySet<string>): string {
	const all = [...names];
	const more = all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : '';
	return `${all.slice(0, MOST_NAMES).join(', ')}${more}`;
}
