'use strict';

const { projects } = require('../../../jest.config.js');

const [{ transform }] = projects;

/** One n8n in queue mode, whose parts are killed and restarted on the way: `npm run test:queue`. */
module.exports = {
	testEnvironment: '<rootDir>/test/real/e2e/harness/failFast.js',
	transform,
	rootDir: '../../..',
	roots: ['<rootDir>/test/real/queue'],
	testMatch: ['**/*.test.ts'],
	// Most of it is n8n's time: a worker's end is noticed after a minute, timers are looked at once a minute.
	testTimeout: 600_000,
};
