'use strict';

const e2e = require('../e2e/jest.config.js');

/** Rehearses a release with n8n's own installer and a registry on this machine: `npm run test:release` */
module.exports = { ...e2e, roots: ['<rootDir>/test/real/release'], testMatch: ['**/*.test.ts'] };
