'use strict';

const e2e = require('../e2e/jest.config.js');

/** The servers of the end-to-end tests, with the n8n of PRICE_COLLECTION_N8N_DIR. */
module.exports = { ...e2e, roots: ['<rootDir>/test/real/versions'] };
