'use strict';

const { projects } = require('../../jest.config.js');

module.exports = {
	// The engine's set-up puts a clock in place of n8n's, which does no harm to unit tests.
	...projects.find(({ displayName }) => displayName === 'engine'),
	// Stryker runs only tests that depend on what is mutated: jest has to see what lies between them as well.
	roots: ['<rootDir>/nodes', '<rootDir>/credentials', '<rootDir>/test'],
	// What waits for something that a mutant has taken away is given up soon.
	testTimeout: 10_000,
};
