'use strict';

const { projects } = require('../../../jest.config.js');

const [{ transform }] = projects;

/** One n8n and one sandbox for each worker, which one file after the other has to itself (starting one takes 15 s). */
module.exports = {
	testEnvironment: '<rootDir>/test/real/e2e/harness/failFast.js',
	transform,
	rootDir: '../../..',
	roots: ['<rootDir>/test/real/e2e', '<rootDir>/test/real/ui', '<rootDir>/test/real/versions'],
	// Tours take pictures, and only when they are asked for (`npm run screenshots`).
	testMatch: [process.env.PRICE_COLLECTION_DOCUMENTATION_IMAGES ? '**/*.{test,tour}.ts' : '**/*.test.ts'],
	globalSetup: '<rootDir>/test/real/e2e/harness/globalSetup.ts',
	globalTeardown: '<rootDir>/test/real/e2e/harness/globalTeardown.ts',
	// More than cores: most of the time goes by in waiting for n8n's timers.
	maxWorkers: 3,
	// A busy machine is no failure; what hangs ends all the same.
	testTimeout: 300_000,
};
