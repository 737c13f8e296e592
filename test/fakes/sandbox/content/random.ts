/** Pseudo-random numbers, the same every time for the same text. */
export class Dice {
	private state: number;

	constructor(text: string) {
		this.state = hashOf(text);
	}

	/** A whole number from `least` to `most`, both included. */
	number(least: number, most: number): number {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let mixed = this.state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		const share = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
		return least + Math.floor(share * (most - least + 1));
	}

	pick<T>(list: readonly T[]): T {
		return list[this.number(0, list.length - 1)] as T;
	}

	shuffled<T>(list: readonly T[]): T[] {
		const ranked = list.map((entry) => ({ entry, rank: this.number(0, 1_000_000) }));
		return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
	}

	/** True in `percent` of a hundred cases. */
	chance(percent: number): boolean {
		return this.number(1, 100) <= percent;
	}

	digits(count: number): string {
		let text = String(this.number(1, 9));
		while (text.length < count) text += String(this.number(0, 9));
		return text;
	}

	letters(count: number): string {
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
		return Array.from({ length: count }, () => alphabet[this.number(0, 35)]).join('');
	}
}

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
	}
	return hash;
}
