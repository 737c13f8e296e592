import { SaxesParser } from 'saxes';

import { MAX_DEPTH, TOO_DEEP, type Unreadable } from './json';
import { XmlTree, type XmlValue } from './xmlTree';

/** After so many characters others get their turn: about 15 ms of work. */
const CHARACTERS_AT_A_STRETCH = 500_000;

/** Long enough for any message; a document could put a name of any length into one. */
const LONGEST_MESSAGE = 200;

/**
 * Reads one XML document to the value that its JSON twin holds (`XmlTree` has the rules), in steps, between which
 * `yieldToEventLoop` is awaited: it decides when n8n's event loop gets its turn, and its rejection ends the work. The
 * document must be well-formed. Comments, processing instructions, namespaces and a DOCTYPE are skipped; the only
 * entities are the five of XML and character references, so that nothing can expand.
 */
export async function parseXml(
	texts: Iterable<string>,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | Unreadable> {
	const tree = new XmlTree();
	const parser = newParser(tree);
	let characters = 0;
	for (const text of texts) {
		const fault = faultOf(() => parser.write(text));
		const { line, column } = parser;
		if (fault !== undefined)
			return { ok: false, detail: `${fault} (line ${line}, column ${column})`, truncated: false };
		characters += text.length;
		if (characters < CHARACTERS_AT_A_STRETCH) continue;
		characters = 0;
		await yieldToEventLoop();
	}
	// All that came was well-formed, so that only the end can be missing.
	if (faultOf(() => parser.close()) === undefined) return { ok: true, value: tree.root };
	return { ok: false, detail: 'The XML ends in the middle', truncated: true };
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
