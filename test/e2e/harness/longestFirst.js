'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** By what they took, the longest first; the others come by their size. */
const LONGEST = [
	'e2e/migration',
	'e2e/trigger.',
	'e2e/killed',
	'e2e/update',
	'e2e/triggerStorm',
	'e2e/agent',
	'versions/smoke',
];

const rank = ({ path }) =>
	(LONGEST.findIndex((name) => path.includes(name)) + LONGEST.length + 1) % (LONGEST.length + 1);

/** Three workers are done soonest when none of them begins a long file at the end. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
};
