'use strict';

const { projects } = require('../../jest.config.js');

// The tests that mutants have to get past. Which of them run for a group is said in core.mjs.
module.exports = projects.find(({ displayName }) => displayName === 'unit');
