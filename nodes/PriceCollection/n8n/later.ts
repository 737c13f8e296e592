/**
 * Returns a method that loads its code when called: n8n loads all node classes when it starts, but uses few of them.
 */
export function loadLazily<Context, Args extends unknown[], Result>(
	load: () => Promise<(this: Context, ...args: Args) => Promise<Result>>,
): (this: Context, ...args: Args) => Promise<Result> {
	return async function (...args) {
		const method = await load();
		return await method.apply(this, args);
	};
}
