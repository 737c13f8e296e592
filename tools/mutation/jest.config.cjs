'use strict';

const { projects } = require('../../jest.config.js');

module.exports = {
	// The tests that mutants have to get past; core.mjs says which of them for each group.
	...projects.find(({ displayName }) => displayName === 'unit'),
	// Stryker runs only tests that depend on what is mutated: jest has to see what lies between them as well.
	roots: ['<rootDir>/nodes', '<rootDir>/test'],
	// What waits for something that a mutant has taken away is given up soon.
	testTimeout: 10_000,
};
