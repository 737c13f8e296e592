'use strict';

const { TestEnvironment } = require('jest-environment-node');

/**
 * In CI, a file ends with its first failure: its tests share one n8n, and if something has gone wrong there, each of
 * them would wait in vain until its timeout.
 */
module.exports = class FailFast extends TestEnvironment {
	handleTestEvent({ name, test }) {
		if (name === 'test_fn_failure' || name === 'hook_failure') this.hasFailed = true;
		if (name === 'test_start' && this.hasFailed && process.env.CI) test.mode = 'skip';
	}
};
