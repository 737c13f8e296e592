'use strict';

const { projects } = require('../../../jest.config.js');

const [{ transform }] = projects;

/** One n8n in queue mode. The tests kill and restart its parts: `npm run test:queue`. */
module.exports = {
	testEnvironment: '<rootDir>/test/real/e2e/harness/failFast.js',
	transform,
	rootDir: '../../..',
	roots: ['<rootDir>/test/real/queue'],
	testMatch: ['**/*.test.ts'],
	// Most of it is waiting: n8n notices a worker's end after a minute, and checks its timers once a minute.
	testTimeout: 600_000,
};
