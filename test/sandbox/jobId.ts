import { createHash } from 'node:crypto';
import type { SandboxOptions } from './options.ts';

/** The id of the `count`-th job in the format that is switched on; never the same twice. */
export function newJobId(count: number, now: number, format: SandboxOptions['jobIdFormat']): string {
	const hex = createHash('sha256').update(`${now} ${count}`).digest('hex');
	switch (format) {
		case 'hex':
			return hex.slice(0, 24);
		case 'number':
			// Beyond 2^53: whoever reads it as a number has another id.
			return String(10_000_000_000_000_000_000n + BigInt(count));
		case 'odd':
			return `Job.${hex.slice(0, 6)}~v2_${count}`;
		case 'uuid':
			return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
	}
}
