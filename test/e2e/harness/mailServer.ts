import { createServer } from 'node:net';
import type { Socket } from 'node:net';

import type { CredentialReference } from './e2e';
import { n8n, ofN8n } from './e2e';
import { listen } from './servers';

/** A mail as it arrived. */
export interface Mail {
	from: { text: string };
	to: { text: string };
	subject: string;
	html: string;
}

/** A stand-in for a mail server: takes every mail over SMTP (RFC 5321) and keeps it. */
export class MailServer {
	private readonly sources: string[] = [];
	private readonly server = createServer((socket) => this.talk(socket));

	/** An SMTP account of n8n for this server, which starts with it. */
	async credential(): Promise<CredentialReference> {
		const port = await listen(this.server);
		const account = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
		const { id, name } = await n8n().createCredential('Mail', account, 'smtp');
		return { id, name };
	}

	/** All mails so far. */
	async mails(): Promise<Mail[]> {
		const { simpleParser } = ofN8n<{ simpleParser: (source: string) => Promise<Mail> }>('mailparser');
		return await Promise.all(this.sources.map((source) => simpleParser(source)));
	}

	async close(): Promise<void> {
		await new Promise((resolve) => this.server.close(resolve));
	}

	private talk(socket: Socket): void {
		let unread = '';
		let isData = false;
		const say = (line: string) => socket.write(`${line}\r\n`);
		socket.setEncoding('latin1').on('data', (chunk: string) => {
			unread += chunk;
			for (;;) {
				const end = isData ? '\r\n.\r\n' : '\r\n';
				const at = unread.indexOf(end);
				if (at < 0) return;
				const taken = unread.slice(0, at);
				unread = unread.slice(at + end.length);
				if (isData) {
					// A line that begins with a dot is sent with one more (section 4.5.2).
					this.sources.push(taken.replace(/^\.\./gm, '.'));
					isData = false;
					say('250 kept');
				} else if (/^quit/i.test(taken)) {
					socket.end('221 bye\r\n');
				} else {
					isData = /^data/i.test(taken);
					say(isData ? '354 go on' : '250 fine');
				}
			}
		});
		say('220 stand-in');
	}
}
