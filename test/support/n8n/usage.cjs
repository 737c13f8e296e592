'use strict';

const fs = require('node:fs');

const SAMPLE_MS = 50;
const KIB_PER_MIB = 1024;
/** Linux counts processor time in hundredths of a second on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Memory and processor time of one process, read from /proc (Linux only). */
class UsageMeter {
	/** @param {number} pid */
	constructor(pid) {
		this.pid = pid;
		this.began = performance.now();
		this.cpuAtStart = this.cpuSeconds();
		this.resetPeak();
		this.startMb = this.memory('VmRSS');
		this.sampledPeakMb = this.startMb;
		this.timer = setInterval(() => {
			this.sampledPeakMb = Math.max(this.sampledPeakMb, this.memory('VmRSS'));
		}, SAMPLE_MS);
		this.timer.unref();
	}

	/** Resets the kernel's high-water mark, which misses nothing between two samples. */
	resetPeak() {
		try {
			fs.writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
			this.kernelPeak = true;
		} catch {
			this.kernelPeak = false;
		}
	}

	memory(field) {
		const status = fs.readFileSync(`/proc/${this.pid}/status`, 'utf8');
		return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / KIB_PER_MIB;
	}

	cpuSeconds() {
		const stat = fs.readFileSync(`/proc/${this.pid}/stat`, 'utf8');
		// The name in parentheses may hold spaces; user and system time are fields 14 and 15.
		const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
		return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
	}

	/**
	 * Ends the measurement.
	 * @returns {{ wallSeconds: number, cpuSeconds: number, startMb: number, peakMb: number, riseMb: number }}
	 *   resident memory in MiB; `riseMb` is the peak above the start
	 */
	stop() {
		clearInterval(this.timer);
		const peakMb = this.kernelPeak ? this.memory('VmHWM') : this.sampledPeakMb;
		return {
			wallSeconds: (performance.now() - this.began) / 1000,
			cpuSeconds: this.cpuSeconds() - this.cpuAtStart,
			startMb: this.startMb,
			peakMb,
			riseMb: peakMb - this.startMb,
		};
	}
}

module.exports = { UsageMeter };
