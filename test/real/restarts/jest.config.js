'use strict';

const e2e = require('../e2e/jest.config.js');

/** The n8n of each file is killed, restarted or updated meanwhile: `npm run test:restarts` */
module.exports = { ...e2e, roots: ['<rootDir>/test/real/restarts'] };
