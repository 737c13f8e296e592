'use strict';

// Loaded into n8n's process before anything else (`--require`). Sends n8n's requests for the office's hosts to
// the server at PRICE_COLLECTION_OFFICE, as plain HTTP with the original Host header, and moves n8n's clock ahead by
// the milliseconds in the file PRICE_COLLECTION_CLOCK. Changes nothing else.
// n8n's nodes use axios, which reads `request` from these modules on every call. Requests by fetch are not redirected.
const { readFileSync, watchFile, writeFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { createRequire, syncBuiltinESMExports } = require('node:module');
const { urlToHttpOptions } = require('node:url');
const HOSTS = Object.values(require('./hosts.cjs'));

/** The options of a `request` call, whose first argument may be an address. */
function optionsOf([first, second]) {
	if (typeof first !== 'string' && !(first instanceof URL)) return first;
	return { ...urlToHttpOptions(new URL(first)), ...(typeof second === 'object' && second) };
}

function sendToOffice(office) {
	const { hostname, port } = new URL(office);
	const send = http.request;
	// n8n's agents use TLS or a proxy, and so may the global one.
	const agent = new http.Agent();
	for (const module of [http, https]) {
		const original = module.request;
		module.request = function request(...args) {
			const options = optionsOf(args);
			const host = options.hostname || options.host;
			if (!HOSTS.includes(host)) return original.apply(this, args);
			const { method, path, headers, auth, timeout, signal } = options;
			const callback = args.findLast((arg) => typeof arg === 'function');
			const sent = { hostname, port, agent, method, path, headers, auth, timeout, signal };
			return send(sent, callback).setHeader('host', host);
		};
		module.get = function get(...args) {
			return module.request(...args).end();
		};
	}
	// For modules that use named imports.
	syncBuiltinESMExports();
}

/** A Date that takes the current time from `now`. */
function dateAt(Real, now) {
	return new Proxy(Real, {
		apply: () => new Real(now()).toString(),
		construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [now()] : args, as),
		get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
	});
}

/** n8n evaluates expressions in isolates, which have their own Date. Older versions lack that library. */
function dateInIsolates(now) {
	let file;
	try {
		file = createRequire(process.argv[1]).resolve('isolated-vm');
	} catch {
		return;
	}
	// A parent folder may have a copy that was built for another Node.
	const [modules] = process.argv[1].split(/[\\/]n8n[\\/]bin[\\/]/);
	if (!file.startsWith(modules)) return;
	const library = require(file);
	class Isolate extends library.Isolate {
		async createContext(...args) {
			const context = await super.createContext(...args);
			await context.evalClosure(`globalThis.Date = (${dateAt})(Date, $0)`, [new library.Callback(now)]);
			return context;
		}
	}
	// The library's exports object cannot be changed.
	require.cache[file].exports = Object.create(library, { Isolate: { value: Isolate } });
}

/**
 * Moves this process's clock ahead by the milliseconds in a file, so that tests need not wait for the next day.
 * Confirms each value that it has read in a file beside it. Timers are not affected.
 */
function followClock(file) {
	let ahead = 0;
	const realNow = Date.now;
	const now = () => realNow() + ahead;
	globalThis.Date = dateAt(Date, now);
	dateInIsolates(now);
	watchFile(file, { interval: 50, persistent: false }, () => {
		ahead = Number(readFileSync(file, 'utf8'));
		writeFileSync(`${file}.read`, String(ahead));
	});
}

const { PRICE_COLLECTION_OFFICE: office, PRICE_COLLECTION_CLOCK: clock } = process.env;
if (office) sendToOffice(office);
if (clock) followClock(clock);
