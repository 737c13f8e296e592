import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import type { CredentialReference } from './e2e';
import { n8n } from './e2e';

/** A mail as it arrived, its body decoded. */
export interface Mail {
	headers: Record<string, string>;
	body: string;
}

const decodings: Record<string, (body: string) => string> = {
	base64: (body) => Buffer.from(body, 'base64').toString(),
	'quoted-printable': (body) => {
		const joined = body.replace(/=\r\n/g, '');
		const bytes = joined.replace(/=([\dA-F]{2})/g, (_, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		);
		return Buffer.from(bytes, 'latin1').toString();
	},
};

function mailOf(source: string): Mail {
	const [head = '', ...rest] = source.split('\r\n\r\n');
	const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
	const headers = Object.fromEntries(
		lines.map((line) => {
			const colon = line.indexOf(':');
			return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
		}),
	);
	const decode = decodings[headers['content-transfer-encoding'] ?? ''] ?? ((body: string) => body);
	return { headers, body: decode(rest.join('\r\n\r\n')) };
}

/** A stand-in for a mail server: takes every mail of one part over SMTP (RFC 5321) and keeps it. */
export class MailServer {
	readonly mails: Mail[] = [];
	private readonly server = createServer((socket) => this.talk(socket));

	static async start(): Promise<MailServer> {
		const mailServer = new MailServer();
		await new Promise<void>((resolve) => mailServer.server.listen(0, '127.0.0.1', resolve));
		return mailServer;
	}

	/** An SMTP account of n8n for this server. */
	async credential(): Promise<CredentialReference> {
		const { port } = this.server.address() as AddressInfo;
		const account = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
		const { id, name } = await n8n().createCredential('Mail', account, 'smtp');
		return { id, name };
	}

	async close(): Promise<void> {
		await new Promise((resolve) => this.server.close(resolve));
	}

	private talk(socket: Socket): void {
		let unread = '';
		let isData = false;
		const say = (line: string) => socket.write(`${line}\r\n`);
		const take = (end: string) => {
			const at = unread.indexOf(end);
			if (at < 0) return undefined;
			const taken = unread.slice(0, at);
			unread = unread.slice(at + end.length);
			return taken;
		};
		socket.setEncoding('latin1').on('data', (chunk: string) => {
			unread += chunk;
			for (;;) {
				const taken = take(isData ? '\r\n.\r\n' : '\r\n');
				if (taken === undefined) return;
				if (isData) {
					// A line that begins with a dot is sent with one more (section 4.5.2).
					this.mails.push(mailOf(taken.replace(/^\.\./gm, '.')));
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
