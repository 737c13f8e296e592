import { SaxesParser } from 'saxes';

import { MAX_DEPTH, TOO_DEEP, type Unreadable } from './json';
import { XmlTree, type XmlValue } from './xmlTree';

/** Characters parsed before the event loop gets its turn: about 15 ms of work. */
const CHARACTERS_AT_A_STRETCH = 500_000;

/** Long enough for any message; a document could put a very long name into one. */
const LONGEST_MESSAGE = 200;

/**
 * Parses one XML document to the value that its JSON twin has (`XmlTree` has the rules). Awaits
 * `yieldToEventLoop` between steps; its rejection ends the work. The document must be well-formed. Comments,
 * processing instructions, namespaces and a DOCTYPE are skipped; only XML's five entities and character
 * references are decoded, so nothing can expand.
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
	// Everything so far was well-formed, so only the end can be missing.
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

/** The parser's error, if any. Without an error handler saxes throws at the first one, also at ours. */
function faultOf(work: () => void): string | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		const message = error instanceof Error ? error.message : 'unknown fault';
		return `The XML is not well-formed: ${message.slice(0, LONGEST_MESSAGE).replace(/\.$/, '')}`;
	}
}
