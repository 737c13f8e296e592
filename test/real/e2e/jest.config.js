'use strict';

const { projects } = require('../../../jest.config.js');

const [{ transform }] = projects;

/** One n8n, sandbox and office for each worker, whose files use them one after another (starting an n8n takes 15 s). */
module.exports = {
	testEnvironment: '<rootDir>/test/real/e2e/harness/failFast.js',
	transform,
	rootDir: '../../..',
	roots: ['<rootDir>/test/real/e2e', '<rootDir>/test/real/ui'],
	// Tours only take pictures, so they only run for `npm run screenshots`.
	testMatch: [process.env.PRICE_COLLECTION_DOCUMENTATION_IMAGES ? '**/*.{test,tour}.ts' : '**/*.test.ts'],
	globalSetup: '<rootDir>/test/real/e2e/harness/globalSetup.ts',
	globalTeardown: '<rootDir>/test/real/e2e/harness/globalTeardown.ts',
	testSequencer: '<rootDir>/test/real/e2e/harness/sequencer.js',
	// More than cores, because most of the time is spent waiting for n8n's timers.
	maxWorkers: 4,
	// Long enough for a busy machine, but ends what hangs.
	testTimeout: 300_000,
};
