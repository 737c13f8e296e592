'use strict';

require('./tools/noProxy.cjs');

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

const project = (name, setupFiles = []) => ({
	...base,
	displayName: name,
	rootDir: __dirname,
	roots: [`<rootDir>/test/${name}`],
	testMatch: ['**/*.test.ts'],
	setupFiles: ['<rootDir>/test/seed.ts', ...setupFiles],
});

module.exports = {
	// A busy machine is no failure; what hangs is found all the same.
	testTimeout: 300_000,
	// Jest leaves one core idle by default.
	maxWorkers: '100%',
	projects: [
		project('unit'),
		project('sandbox'),
		project('generator'),
		project('engine', ['<rootDir>/test/engine/setup.ts']),
	],
};
