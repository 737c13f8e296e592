'use strict';

const { availableParallelism } = require('node:os');
require('./test/support/noProxy.cjs');

/** Shared by the projects below and by the slower suites' own configurations. */
const base = {
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{
				jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
				module: { type: 'commonjs' },
			},
		],
	},
};

const project = (displayName, folder, setupFiles = []) => ({
	...base,
	displayName,
	rootDir: __dirname,
	roots: [`<rootDir>/test/${folder}`],
	testMatch: ['**/*.test.ts'],
	setupFiles: ['<rootDir>/test/support/seed.ts', ...setupFiles],
});

module.exports = {
	// A busy machine is no failure; what hangs is found all the same.
	testTimeout: 300_000,
	// More than cores, because some tests wait for real timers.
	maxWorkers: Math.ceil(availableParallelism() * 1.5),
	projects: [
		project('unit', 'unit'),
		project('fakes', 'fakes'),
		project('engine', 'engine', ['<rootDir>/test/engine/support/setup.ts']),
	],
};
