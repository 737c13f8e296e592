import { SaxesParser } from 'saxes';

import { decoderOf, type Decoder, type Pieces } from './bytes';
import { MAX_DEPTH, TOO_DEEP, type Unreadable } from './rules';
import { XmlTree, type XmlValue } from './xmlTree';

/** Bytes parsed at a stretch: about 2 ms of work. */
const STEP = 65_536;
/** After so many steps others get their turn: a turn of n8n's event loop costs as much as a step. */
const STEPS_AT_A_STRETCH = 8;

/** Long enough for any message; a document could put a name of any length into one. */
const LONGEST_MESSAGE = 200;

/**
 * Reads one XML document piece by piece to the value that its JSON twin holds (`XmlTree` has the rules). The document
 * must be well-formed, also in its encoding: bytes that it does not know would become other letters. Comments, processing instructions, namespaces and a DOCTYPE are skipped; the only entities are
 * the five of XML and character references, so that nothing can expand.
 */
export class XmlReader {
	private readonly tree: XmlTree;
	private readonly parser: SaxesParser<{ xmlns: false }>;
	private begun = false;
	private fault: Unreadable | undefined;

	/**
	 * @param decoder one that is `fatal` makes bytes that are not of its encoding a fault
	 * @param levels how many levels are kept; deeper elements are read and left out
	 */
	constructor(
		private readonly decoder: Decoder,
		levels = Infinity,
	) {
		this.tree = new XmlTree(levels);
		this.parser = newParser(this.tree);
	}

	/** Reads on. False after a fault: the rest is not worth reading. */
	write(piece: Buffer): boolean {
		if (this.fault) return false;
		const text = this.textOf(piece);
		// A declaration must stand at the very beginning; servers put blank lines before it all the same.
		const detail = faultOf(() => this.parser.write(this.begun ? text : text.trimStart()));
		this.begun ||= /\S/.test(text);
		const { line, column } = this.parser;
		if (detail !== undefined) this.end(`${detail} (line ${line}, column ${column})`);
		return this.fault === undefined;
	}

	/** The document's value, or why there is none. */
	close(): { ok: true; value: XmlValue } | Unreadable {
		// All that came was well-formed, so that only the end can be missing.
		if (!this.fault && faultOf(() => this.parser.close()) !== undefined)
			this.end('The XML ends in the middle', true);
		return this.fault ?? { ok: true, value: this.tree.root };
	}

	private textOf(piece: Buffer): string {
		try {
			return this.decoder.decode(piece, { stream: true });
		} catch {
			this.end(`The XML is not well-formed: not all of it is written in ${this.decoder.encoding}`);
			return '';
		}
	}

	private end(detail: string, truncated = false): void {
		this.fault = { ok: false, detail, truncated };
	}
}

/**
 * XML to its value, in steps, between which `yieldToEventLoop` is awaited: it decides when n8n's event loop gets its
 * turn, and its rejection ends the work.
 */
export async function parseXml(
	pieces: Pieces,
	encoding: string,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | Unreadable> {
	const reader = new XmlReader(decoderOf(encoding, { fatal: true }));
	let steps = 0;
	for await (const piece of pieces) {
		for (let at = 0; at < piece.length; at += STEP) {
			if (!reader.write(piece.subarray(at, at + STEP))) return reader.close();
			if (++steps % STEPS_AT_A_STRETCH === 0) await yieldToEventLoop();
		}
	}
	return reader.close();
}

function newParser(tree: XmlTree): SaxesParser<{ xmlns: false }> {
	const parser = new SaxesParser({ xmlns: false, position: false });
	parser.on('opentag', (tag) => {
		if (tree.depth === MAX_DEPTH) parser.fail(TOO_DEEP);
		tree.open(tag.name, tag.attributes);
	});
	parser.on('closetag', () => tree.close());
	parser.on('text', (text) => tree.text(text));
	parser.on('cdata', (text) => tree.text(text));
	return parser;
}

/** What saxes objects to. Without an error handler it throws at the first fault, also at one of ours. */
function faultOf(work: () => void): string | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		const message = error instanceof Error ? error.message : 'unknown fault';
		return `The XML is not well-formed: ${message.slice(0, LONGEST_MESSAGE).replace(/\.$/, '')}`;
	}
}
