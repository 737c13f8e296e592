import { randomBytes } from 'node:crypto';
import type { Format } from './format.ts';

/** Addresses of pre-rendered downloads: whoever knows one may read the file, no key needed. */
export class Tickets {
	private readonly issued = new Map<string, { jobId: string; format: Format }>();

	/** Path of a new ticket, beginning with `/files/`. */
	issue(jobId: string, format: Format): string {
		const name = randomBytes(16).toString('hex');
		this.issued.set(name, { jobId, format });
		return `/files/${name}`;
	}

	read(name: string): { jobId: string; format: Format } | undefined {
		return this.issued.get(name);
	}
}
