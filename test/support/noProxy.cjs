'use strict';

// Servers on this machine bypass the network's proxy, for this process and everything that it starts.
for (const name of ['NO_PROXY', 'no_proxy']) {
	const hosts = (process.env[name] ?? '').split(',').filter(Boolean);
	process.env[name] = [...new Set([...hosts, '127.0.0.1', 'localhost'])].join(',');
}
