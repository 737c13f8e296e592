/**
 * Defers `make` to the first call of the returned function. n8n loads all node classes when it starts, so
 * modules that a class only needs later are loaded in this way.
 */
export function onFirstCall<Context, Given extends unknown[], Result>(
	make: () => (this: Context, ...given: Given) => Result,
): (this: Context, ...given: Given) => Result {
	let made: ReturnType<typeof make> | undefined;
	return function (...given) {
		made ??= make();
		return made.apply(this, given);
	};
}

/** A map of limited size that drops the entry that was set longest ago. */
export class RecentMap<K, V> extends Map<K, V> {
	constructor(private readonly most: number) {
		super();
	}

	override set(key: K, value: V): this {
		this.delete(key);
		super.set(key, value);
		const [oldest] = this.keys();
		if (this.size > this.most && oldest !== undefined) this.delete(oldest);
		return this;
	}
}

/** The jobs that this process created with a signed callback URL, by the hash of the signature. */
export const jobsBySignature = new RecentMap<string, string>(20_000);
