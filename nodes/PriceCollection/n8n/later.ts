/**
 * A method that is loaded when it is first called: n8n loads all node classes when it starts, and uses few of them.
 */
export function later<Context, Given extends unknown[], Result>(
	load: () => Promise<(this: Context, ...given: Given) => Promise<Result>>,
): (this: Context, ...given: Given) => Promise<Result> {
	return async function (...given) {
		const method = await load();
		return await method.apply(this, given);
	};
}
