'use strict';

const { projects } = require('../../jest.config.js');

const { testEnvironment, transform, setupFiles } = projects.find(
	({ displayName }) => displayName === 'engine',
);

/** The environment of the engine tests, for benchmarks. */
module.exports = {
	testEnvironment,
	transform,
	setupFiles,
	rootDir: '../..',
	roots: ['<rootDir>/benchmarks'],
	testMatch: ['**/*.bench.ts'],
};
