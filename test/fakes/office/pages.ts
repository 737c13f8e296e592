import type { Message } from './slack.ts';
import { lettersOf } from './spreadsheet.ts';
import type { Cell, SheetsDocument } from './spreadsheet.ts';

/** The smallest size at which a sheet is shown. */
const [ROWS, COLUMNS] = [8, 9];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: unknown) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

const page = (title: string, style: string, body: string) =>
	`<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>
body { margin: 0; width: 1200px; background: #fff; color: #202124; font: 14px/1.45 Arial, sans-serif }
${style}</style><body>${body}</body></html>`;

const SHEET_STYLE = `h1 { margin: 0; padding: 12px 16px; font-size: 18px; font-weight: 400 }
table { min-width: 1000px; border-collapse: collapse }
th, td { height: 24px; border: 1px solid #dadce0; padding: 0 6px; white-space: nowrap }
th:first-child { width: 36px }
th { background: #f8f9fa; color: #5f6368; font-size: 12px; font-weight: 400 }
td { min-width: 68px; max-width: 170px; overflow: hidden; text-overflow: ellipsis }
td:last-child { max-width: 220px; white-space: normal }
.number { text-align: right }
.truth { text-align: center }
nav { padding: 0 48px; background: #f8f9fa }
nav a { display: inline-block; padding: 8px 16px; color: #5f6368; text-decoration: none }
nav [aria-current] { background: #e6f4ea; color: #188038; font-weight: 700 }
`;

function cellOf(cell: Cell): string {
	if (typeof cell === 'string') return `<td>${escaped(cell)}</td>`;
	return typeof cell === 'number'
		? `<td class="number">${cell}</td>`
		: `<td class="truth">${String(cell).toUpperCase()}</td>`;
}

/** A sheet as a spreadsheet program shows it: column letters, row numbers, and the document's tabs below. */
export function sheetPage(name: string, document: SheetsDocument, title: string): string {
	const cells = document[title] ?? [];
	const columns = Array.from(
		{ length: Math.max(COLUMNS, ...cells.map((row) => row.length)) },
		(_, at) => at,
	);
	const letters = columns.map((column) => `<th>${lettersOf(column)}</th>`).join('');
	const rows = Array.from({ length: Math.max(ROWS, cells.length) }, (_, row) => {
		const shown = columns.map((column) => cellOf(cells[row]?.[column] ?? ''));
		return `<tr><th>${row + 1}</th>${shown.join('')}</tr>\n`;
	});
	const tabs = Object.keys(document).map((tab) => {
		const address = `/_office/sheet/${encodeURIComponent(name)}/${encodeURIComponent(tab)}`;
		return `<a href="${address}"${tab === title ? ' aria-current="page"' : ''}>${escaped(tab)}</a>`;
	});
	const table = `<table><tr><th></th>${letters}</tr>\n${rows.join('')}</table>`;
	return page(name, SHEET_STYLE, `<h1>${escaped(name)}</h1>${table}<nav>${tabs.join('')}</nav>`);
}

const CHANNEL_STYLE = `h1 { margin: 0; padding: 14px 20px; border-bottom: 1px solid #ddd; font-size: 18px }
article { position: relative; margin: 16px 20px; padding-left: 48px }
article::before { content: 'n8n'; position: absolute; left: 0; width: 36px; border-radius: 6px; background: #ea4b71;
color: #fff; font-size: 12px; font-weight: 700; line-height: 36px; text-align: center }
p { margin: 2px 0 }
a { color: #1264a3; text-decoration: none }
hr { margin: 8px 0; border: 0; border-top: 1px solid #ddd }
.button { display: inline-block; margin: 4px 8px 4px 0; padding: 4px 12px; border: 1px solid #bbb; border-radius: 4px;
color: #1d1c1d; font-weight: 700 }
`;

/** Renders Slack's markup: links, bold, italics and line breaks. */
const rich = (text: string) =>
	escaped(text)
		.replace(/&amp;(amp|lt|gt);/g, '&$1;')
		.replace(
			/&lt;(https?:.+?)(?:\|(.*?))?&gt;/g,
			(_, to: string, label = to) => `<a href="${to}">${label}</a>`,
		)
		.replace(/(?<=^|\s)\*(\S.*?)\*(?=\s|$)/gm, '<b>$1</b>')
		.replace(/(?<=^|\s)_(\S.*?)_(?=\s|$)/gm, '<i>$1</i>')
		.replaceAll('\n', '<br>');

function bodyOf({ text, blocks }: Message): string {
	// If a message has blocks, Slack shows its text in notifications only.
	if (blocks === undefined) return `<p>${rich(text ?? '')}</p>`;
	const shown = blocks.map((block) => {
		if (block.type === 'divider') return '<hr>';
		const buttons = (block.elements ?? []).map(
			(button) =>
				`<a class="button" href="${escaped(button.url ?? '')}">${escaped(button.text.text)}</a>`,
		);
		return `<p>${rich(block.text?.text ?? '')}${buttons.join('')}</p>`;
	});
	return shown.join('\n');
}

/** A channel as Slack shows it, oldest message first. */
export function channelPage(name: string, messages: Message[]): string {
	const articles = messages.map(
		(message) => `<article><b>${escaped(message.username ?? 'n8n')}</b>${bodyOf(message)}</article>\n`,
	);
	return page(name, CHANNEL_STYLE, `<h1># ${escaped(name)}</h1>\n${articles.join('')}`);
}
