import { notPart, ok } from './http.ts';
import type { Question, Reply } from './http.ts';

/** A sent mail: the addresses as written in its headers, the texts, and the attachments in Base64. */
export interface Mail {
	from?: string;
	to: string;
	cc?: string;
	bcc?: string;
	subject: string;
	text?: string;
	html?: string;
	attachments: Array<{ name: string; content: string }>;
}

/** A mail or one of its parts; each character of the body is one byte. */
interface Part {
	/** By lower-case name. */
	headers: Record<string, string>;
	body: string;
}

const unquoted = (text: string) =>
	text
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));

function bytesOf(body: string, encoding: string | undefined): Buffer {
	if (encoding === 'base64') return Buffer.from(body, 'base64');
	return Buffer.from(encoding === 'quoted-printable' ? unquoted(body) : body, 'latin1');
}

/** Decodes the encoded words (RFC 2047) in a header. */
const words = (header: string) =>
	header
		.replace(/\?=\s+=\?/g, '?==?')
		.replace(/=\?utf-8\?([BQ])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
			/b/i.test(kind)
				? bytesOf(word, 'base64').toString()
				: bytesOf(word.replaceAll('_', ' '), 'quoted-printable').toString(),
		);

function partOf(source: string): Part {
	const end = source.indexOf('\r\n\r\n');
	const lines = source
		.slice(0, end)
		.replace(/\r\n[ \t]+/g, ' ')
		.split('\r\n');
	const headers = lines.map((line) => {
		const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
		return [name.toLowerCase(), words(value)];
	});
	return { headers: Object.fromEntries(headers) as Part['headers'], body: source.slice(end + 4) };
}

/** The parts with content; containers of other parts are flattened. */
function leavesOf(part: Part): Part[] {
	const [, boundary] = /boundary="?([^";]+)/.exec(part.headers['content-type'] ?? '') ?? [];
	if (boundary === undefined) return [part];
	const parts = `\r\n${part.body}`.split(`\r\n--${boundary}`).slice(1, -1);
	return parts.flatMap((source) => leavesOf(partOf(source.replace(/^\r\n/, ''))));
}

/** Reads a mail as n8n writes it: parts with a transfer encoding, texts in UTF-8. */
export function readMail(source: string): Mail {
	const whole = partOf(source);
	const { from, to = '', cc, bcc, subject = '' } = whole.headers;
	const mail: Mail = { from, to, cc, bcc, subject, attachments: [] };
	for (const { headers, body } of leavesOf(whole)) {
		const content = bytesOf(body, headers['content-transfer-encoding']);
		const [, name] = /filename="?([^";]+)/.exec(headers['content-disposition'] ?? '') ?? [];
		if (name !== undefined) mail.attachments.push({ name, content: content.toString('base64') });
		else
			mail[headers['content-type']?.startsWith('text/html') ? 'html' : 'text'] = content
				.toString()
				.trimEnd();
	}
	return mail;
}

/** Answers as the Gmail API (v1) does for a mailbox, oldest mail first. */
export function answerGmail(mails: Mail[], question: Question): Reply {
	switch (`${question.method} ${question.url.pathname}`) {
		case 'POST /gmail/v1/users/me/messages/send': {
			const { raw } = question.body as { raw: string };
			const id = String(mails.push(readMail(Buffer.from(raw, 'base64url').toString('latin1'))));
			return ok({ id, threadId: id, labelIds: ['SENT'] });
		}
		case 'GET /gmail/v1/users/me/profile':
			return ok({ emailAddress: 'office@shop.example' });
	}
	return notPart(question);
}
