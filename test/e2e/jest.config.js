'use strict';

const { projects } = require('../../jest.config.js');

const [{ testEnvironment, transform }] = projects;

/** One n8n for all files (starting one takes 15 s or more), so `npm run test:e2e` runs them in turn. */
module.exports = {
	testEnvironment,
	transform,
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e', '<rootDir>/test/ui'],
	testMatch: ['**/*.test.ts'],
	globalSetup: '<rootDir>/test/e2e/harness/globalSetup.ts',
	globalTeardown: '<rootDir>/test/e2e/harness/globalTeardown.ts',
	// Long tours in a browser, and a busy machine is no failure; what hangs is found all the same.
	testTimeout: 300_000,
};
