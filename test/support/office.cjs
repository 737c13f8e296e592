'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const HOSTS = require('../fakes/office/hosts.cjs');
const { endWithThisProcess } = require('./watchdog.cjs');

const OFFICE = path.join(__dirname, '../fakes/office');

/**
 * Starts the stand-ins for Google Sheets, Gmail, Slack and a WooCommerce shop as a separate process, which ends with
 * this one at the latest.
 * @returns {Promise<{ url: string, stop: () => void, clockFile: string, env: Record<string, string> }>} `env`: makes
 *   n8n send requests for these services there, and move its clock ahead by the milliseconds in `clockFile`
 */
async function startOfficeProcess() {
	const child = spawn(process.execPath, [path.join(OFFICE, 'start.mjs')], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const unwatch = child.pid === undefined ? undefined : endWithThisProcess(child.pid);
	const ended = once(child, 'exit').then(([code]) => {
		throw new Error(`The office ended with code ${code}`);
	});
	// Once it is ready, its end is not a failure.
	ended.catch(() => undefined);
	const [output] = await Promise.race([once(child.stdout, 'data'), ended]);
	const [url] = /http:\S+/.exec(output);
	const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-clock-'));
	const clockFile = path.join(folder, 'ahead');
	writeFileSync(clockFile, '0');
	const stop = () => {
		child.kill();
		rmSync(folder, { recursive: true });
		unwatch?.();
	};
	const preload = JSON.stringify(path.join(OFFICE, 'preload.cjs'));
	const env = {
		...{ PRICE_COLLECTION_OFFICE: url, PRICE_COLLECTION_CLOCK: clockFile },
		NODE_OPTIONS: `--require ${preload}`,
	};
	return { url, stop, clockFile, env };
}

/** A credential after its owner has logged in to Google. n8n renews the token when it is refused. */
const GOOGLE = {
	clientId: 'office',
	clientSecret: 'office',
	oauthTokenData: { access_token: 'expired', refresh_token: 'office', token_type: 'Bearer' },
};

/** Fields of the credentials that the office accepts, by type. */
const CREDENTIALS = {
	googleSheetsOAuth2Api: GOOGLE,
	gmailOAuth2: GOOGLE,
	slackApi: { accessToken: 'xoxb-office' },
	wooCommerceApi: { url: `https://${HOSTS.shop}`, consumerKey: 'ck_office', consumerSecret: 'cs_office' },
};

/**
 * Creates a credential for each service of the office.
 * @param {import('./n8n/client.cjs').N8nClient} client
 * @returns {Promise<Record<keyof typeof CREDENTIALS, { id: string, name: string }>>} by their type
 */
async function createOfficeCredentials(client) {
	const created = Object.entries(CREDENTIALS).map(async ([type, data]) => {
		const { id, name } = await client.createCredential(type, data, type);
		return [type, { id, name }];
	});
	return Object.fromEntries(await Promise.all(created));
}

module.exports = { createOfficeCredentials, startOfficeProcess };
