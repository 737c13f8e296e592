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
