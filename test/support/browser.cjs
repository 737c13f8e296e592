'use strict';

const { existsSync } = require('node:fs');

/** Possible paths of a Chromium or Chrome that Playwright can drive. The first loads n8n's editor in a third less time. */
const BROWSER_PATHS = [
	'/usr/bin/chromium-headless-shell',
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser needs neither a sandbox nor background downloads: it only opens the n8n of the tests. */
const BROWSER_ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--no-first-run',
];

/** The path of a browser, or undefined. PRICE_COLLECTION_BROWSER comes first. */
function findBrowser() {
	const candidates = [process.env.PRICE_COLLECTION_BROWSER, ...BROWSER_PATHS];
	return candidates.find((file) => file && existsSync(file));
}

module.exports = { BROWSER_ARGUMENTS, BROWSER_PATHS, findBrowser };
