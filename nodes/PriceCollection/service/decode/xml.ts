import { SaxesParser } from 'saxes';

import { MAX_DEPTH, TOO_DEEP, type Unreadable } from './rules';
import { XmlTree, type XmlValue } from './xmlTree';

/** Characters per step: about 2 ms of work, after which others get their turn. */
const STEP = 65_536;

/** Long enough for any message; a document could put a name of any length into one. */
const LONGEST_MESSAGE = 200;

/**
 * XML text to the value that its JSON twin holds (`XmlTree` has the rules). The document must be well-formed.
 * Comments, processing instructions, namespaces and a DOCTYPE are skipped; the only entities are the five of
 * XML and character references, so that nothing can expand. `yieldToEventLoop` is awaited between steps of 64 K
 * characters: it decides when n8n's event loop gets its turn, and its rejection ends the work.
 */
export async function parseXml(
	text: string,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | Unreadable> {
	const tree = new XmlTree();
	const parser = newParser(tree);
	// A declaration must stand at the very beginning; servers put blank lines before it all the same.
	for (let at = Math.max(text.search(/\S/), 0); at < text.length; at += STEP) {
		const fault = faultOf(() => parser.write(text.slice(at, at + STEP)));
		if (fault)
			return {
				ok: false,
				detail: `${fault} (line ${parser.line}, column ${parser.column})`,
				truncated: false,
			};
		await yieldToEventLoop();
	}
	// All that came was well-formed, so that only the end can be missing.
	const missing = faultOf(() => parser.close());
	if (missing) return { ok: false, detail: 'The XML ends in the middle', truncated: true };
	return { ok: true, value: tree.root };
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
