/**
 * A function that `make` gives when it is first called. n8n loads the classes of all nodes when it starts; what a class
 * names like this is not loaded with it, but when it is needed.
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
