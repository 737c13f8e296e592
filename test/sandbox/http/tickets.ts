import { randomBytes } from 'node:crypto';
import type { SandboxOptions } from '../options.ts';
import type { Format } from './format.ts';

/** Addresses of pre-rendered downloads: whoever knows one may read the file, no key needed. */
export class Tickets {
	private readonly issued = new Map<string, { jobId: string; format: Format }>();

	/** Path of a new ticket, beginning with `/files/`; its name is the end of it or a parameter. */
	issue(jobId: string, format: Format, { authParameter, ticketPlace }: SandboxOptions): string {
		const name = randomBytes(16).toString('hex');
		this.issued.set(name, { jobId, format });
		return ticketPlace === 'path' ? `/files/${name}` : `/files/download?${authParameter}=${name}`;
	}

	/** What a ticket stands for; its name is the last part of the path, or the parameter. */
	read(
		part: string,
		query: unknown,
		{ authParameter }: SandboxOptions,
	): { jobId: string; format: Format } | undefined {
		const name = part === 'download' ? (query as Record<string, string>)[authParameter] : part;
		return this.issued.get(name ?? '');
	}
}
