'use strict';

const { projects } = require('../../jest.config.js');

const { testEnvironment, transform, setupFiles } = projects.find(
	({ displayName }) => displayName === 'engine',
);

/** The engine of the tests, for what is measured in it. */
module.exports = {
	testEnvironment,
	transform,
	setupFiles,
	rootDir: '../..',
	roots: ['<rootDir>/benchmarks'],
	testMatch: ['**/*.bench.ts'],
};
