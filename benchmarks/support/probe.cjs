'use strict';

/**
 * Loaded into n8n's main process by `--require`. Answers every connection to the socket with the blocks of the event
 * loop and the main thread's processor time since the last connection, then collects garbage and starts over.
 */
const fs = require('node:fs');
const net = require('node:net');
const v8 = require('node:v8');
const vm = require('node:vm');
const { EventLoopWatch } = require('./eventLoop.cjs');

const socket = process.env.PRICE_COLLECTION_PROBE;

// Other processes, such as n8n's task runner, inherit NODE_OPTIONS.
if (socket && /[\\/]n8n$/.test(process.argv[1] ?? '')) {
	v8.setFlagsFromString('--expose-gc');
	const collectGarbage = vm.runInNewContext('gc');
	const watch = new EventLoopWatch();
	fs.rmSync(socket, { force: true });
	const answer = (connection) => {
		watch.tick();
		connection.write(JSON.stringify({ blocks: watch.blocks, mainThread: watch.mainThread }));
		// Also returns freed memory to the system. Otherwise what is left from the start would hide what a run needs.
		collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
		watch.restart();
		connection.end();
	};
	net.createServer(answer).listen(socket).unref();
}
