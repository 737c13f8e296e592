import { setSafeRegexEngine } from 'n8n-workflow';

/** n8n stops a regular expression after 250 ms of real time, which a busy machine may need. Here none is stopped. */
setSafeRegexEngine({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) => input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags) => [...input.matchAll(new RegExp(pattern, `${flags ?? ''}g`))],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});
