/** Concurrent tasks. The caller limits how many there are. */
export class InFlight<T> {
	private readonly tasks = new Map<number, Promise<readonly [key: number, result: T]>>();
	private count = 0;

	get size(): number {
		return this.tasks.size;
	}

	add(task: Promise<T>): void {
		const key = this.count++;
		const keyed = task.then((result) => [key, result] as const);
		// `next` reports failures. The failure of a task that is never awaited must not end the process.
		keyed.catch(() => undefined);
		this.tasks.set(key, keyed);
	}

	/** Removes the task that ends first and returns its result, or rejects with its error. Needs at least one task. */
	async next(): Promise<T> {
		const [key, result] = await Promise.race(this.tasks.values());
		this.tasks.delete(key);
		return result;
	}
}
