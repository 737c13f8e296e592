'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** What mostly waits for n8n's timers. */
const WAITING = /\/(queuedTwice|waiting|triggers|overnight)\b/;

/** Begins with the files that wait, so that the others use the processor meanwhile. */
module.exports = class WaitingFirst extends Sequencer {
	/** @param {import('@jest/test-result').Test[]} tests */
	sort(tests) {
		const waits = ({ path }) => (WAITING.test(path) ? 1 : 0);
		return super.sort(tests).sort((one, other) => waits(other) - waits(one));
	}
};
