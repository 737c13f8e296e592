import { SaxesParser } from 'saxes';

import { MAX_DEPTH, TOO_DEEP, type Unreadable } from './rules';
import { XmlTree, type XmlValue } from './xmlTree';

/** Characters parsed at a stretch: about 2 ms of work. */
const STEP = 65_536;
/** After so many steps others get their turn: a turn of n8n's event loop costs as much as a step. */
const STEPS_AT_A_STRETCH = 8;

/** Long enough for any message; a document could put a name of any length into one. */
const LONGEST_MESSAGE = 200;

/**
 * Reads one XML document to the value that its JSON twin holds (`XmlTree` has the rules), in steps, between which
 * `yieldToEventLoop` is awaited: it decides when n8n's event loop gets its turn, and its rejection ends the work. The
 * document must be well-formed. Comments, processing instructions, namespaces and a DOCTYPE are skipped; the only
 * entities are the five of XML and character references, so that nothing can expand.
 */
export async function parseXml(
	document: string,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: XmlValue } | Unreadable> {
	const tree = new XmlTree();
	const parser = newParser(tree);
	for (let at = 0, steps = 1; at < document.length; at += STEP, steps++) {
		const step = document.slice(at, at + STEP);
		const fault = faultOf(() => parser.write(step));
		const { line, column } = parser;
		if (fault !== undefined)
			return { ok: false, detail: `${fault} (line ${line}, column ${column})`, truncated: false };
		if (steps % STEPS_AT_A_STRETCH === 0) await yieldToEventLoop();
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
