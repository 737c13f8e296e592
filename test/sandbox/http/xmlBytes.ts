import type { SandboxOptions } from '../options.ts';
import { xmlRootElement } from './xml.ts';

/** How a text of XML becomes bytes, and what declaration and header say of it. */

type Encoding = SandboxOptions['xmlEncoding'];

const NAMES: Record<Encoding, string> = {
	utf8: 'UTF-8',
	utf8Bom: 'UTF-8',
	latin1: 'ISO-8859-1',
	utf16le: 'UTF-16',
	utf16leBom: 'UTF-16',
	utf16be: 'UTF-16',
	utf16beBom: 'UTF-16',
};

/** What stands before the root: byte order mark, blank line, declaration. */
export function xmlHead(options: SandboxOptions): string {
	const mark = options.xmlEncoding.endsWith('Bom') ? '\uFEFF' : '';
	const declaration = `<?xml version="1.0" encoding="${NAMES[options.xmlEncoding]}"?>\n`;
	if (options.xmlDeclaration === 'none') return mark;
	return mark + (options.xmlDeclaration === 'afterBlankLine' ? `\n${declaration}` : declaration);
}

/** A piece of a document, cut between characters, in the encoding that is switched on. */
export function xmlBytes(text: string, encoding: Encoding): Buffer {
	switch (encoding) {
		case 'latin1':
			return Buffer.from(
				text.replace(/[^\u0000-\u00ff]/gu, (letter) => `&#${letter.codePointAt(0)};`),
				'latin1',
			);
		case 'utf16le':
		case 'utf16leBom':
			return Buffer.from(text, 'utf16le');
		case 'utf16be':
		case 'utf16beBom':
			return Buffer.from(text, 'utf16le').swap16();
		default:
			return Buffer.from(text);
	}
}

/** Content-Type of XML in the encoding that is switched on. */
export function xmlContentType({ charset, xmlEncoding }: SandboxOptions): string {
	return charset === 'omitted'
		? 'application/xml'
		: `application/xml; charset=${NAMES[xmlEncoding].toLowerCase()}`;
}

/** A whole document as text. */
export function xmlDocument(root: string, value: unknown, options: SandboxOptions): string {
	return xmlHead(options) + xmlRootElement(root, value, options);
}
