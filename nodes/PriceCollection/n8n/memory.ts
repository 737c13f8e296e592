/** A map of limited size. When it is full, it drops the entry that was set longest ago. */
export class RecentMap<K, V> extends Map<K, V> {
	constructor(private readonly maxSize: number) {
		super();
	}

	override set(key: K, value: V): this {
		this.delete(key);
		super.set(key, value);
		const [oldest] = this.keys();
		if (this.size > this.maxSize && oldest !== undefined) this.delete(oldest);
		return this;
	}
}

/** IDs of the jobs that this process created with a signed callback URL, by the hash of the signature. */
export const jobsBySignature = new RecentMap<string, string>(20_000);
