/** Tasks that are under way at the same time. Whoever adds them decides how many. */
export class InFlight<T> {
	private readonly tasks = new Map<number, Promise<readonly [key: number, result: T]>>();
	private count = 0;

	get size(): number {
		return this.tasks.size;
	}

	add(task: Promise<T>): void {
		const key = this.count++;
		const keyed = task.then((result) => [key, result] as const);
		// Whoever asks for it hears of a failure; one that nobody asks for any more must not end the process.
		keyed.catch(() => undefined);
		this.tasks.set(key, keyed);
	}

	/** Removes the task that ends first, and returns its result. There must be one. */
	async next(): Promise<T> {
		const [key, result] = await Promise.race(this.tasks.values());
		this.tasks.delete(key);
		return result;
	}
}
