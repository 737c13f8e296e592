'use strict';

const seconds = ({ user, system }) => (user + system) / 1e6;

/**
 * Measures processor time from now on, in seconds: `cpu` of this process, which also collects garbage and compiles on
 * other threads, and `mainThread` of the calling thread.
 * @returns {() => { cpu: number, mainThread: number }}
 */
function processorTime() {
	const [ofProcess, ofThread] = [process.cpuUsage(), process.threadCpuUsage()];
	return () => ({
		cpu: seconds(process.cpuUsage(ofProcess)),
		mainThread: seconds(process.threadCpuUsage(ofThread)),
	});
}

module.exports = { processorTime };
