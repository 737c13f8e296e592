'use strict';

const { projects } = require('../../../jest.config.js');

const engine = projects.find(({ displayName }) => displayName === 'engine');

/** n8n's engine with n8n's own nodes for sheets and tables, from the installation of the end-to-end tests. */
module.exports = {
	...engine,
	displayName: 'sheets',
	roots: ['<rootDir>/test/real/sheets'],
	setupFiles: [...engine.setupFiles, '<rootDir>/test/real/sheets/patientRegexes.ts'],
	testTimeout: 1_800_000,
};
