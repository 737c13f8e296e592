'use strict';

const { TestEnvironment } = require('jest-environment-node');

/**
 * In CI a file ends with its first failure: its tests share one n8n, and what has gone wrong there would have each of
 * them wait for its whole time in vain.
 */
module.exports = class FailFast extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
		if (name === 'test_start' && this.hasFailed && process.env.CI) test.mode = 'skip';
	}
};
