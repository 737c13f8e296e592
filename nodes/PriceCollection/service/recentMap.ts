/** A map of limited size that drops the entry that was set longest ago. */
export class RecentMap<K, V> extends Map<K, V> {
	constructor(private readonly most: number) {
		super();
	}

	override set(key: K, value: V): this {
		this.delete(key);
		super.set(key, value);
		for (const oldest of this.keys()) {
			if (this.size <= this.most) break;
			this.delete(oldest);
		}
		return this;
	}
}
