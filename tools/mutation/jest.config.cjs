'use strict';

const { projects } = require('../../jest.config.js');

module.exports = {
	// The engine's set-up replaces n8n's clock, which does not harm unit tests.
	...projects.find(({ displayName }) => displayName === 'engine'),
	// Stryker runs only tests that depend on the mutated code, so jest must also see the files in between.
	roots: ['<rootDir>/nodes', '<rootDir>/credentials', '<rootDir>/test'],
	// A test that waits for something a mutant has removed should give up soon.
	testTimeout: 10_000,
};
