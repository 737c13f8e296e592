import { crc32, deflateRawSync } from 'node:zlib';
import type { Table } from './table.ts';

/** The least that makes a workbook: one sheet, all cells inline strings. */

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

function relations(type: string, target: string): string {
	const link = `<Relationship Id="r1" Type="${OFFICE}/${type}" Target="${target}"/>`;
	return `<Relationships xmlns="${PACKAGE}/relationships">${link}</Relationships>`;
}

function override(part: string, type: string): string {
	return `<Override PartName="/xl/${part}.xml" ContentType="${SHEET}.${type}+xml"/>`;
}

const CONTENT_TYPES = [
	`<Types xmlns="${PACKAGE}/content-types">`,
	'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
	override('workbook', 'sheet.main'),
	override('sheet1', 'worksheet'),
	'</Types>',
].join('');

const WORKBOOK = [
	`<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">`,
	'<sheets><sheet name="results" sheetId="1" r:id="r1"/></sheets></workbook>',
].join('');

function cell(value: unknown): string {
	const text = value === null || value === undefined ? '' : String(value);
	const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
	return `<c t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`;
}

function sheet({ columns, rows }: Table): string {
	const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
	const data = lines.map((line) => `<row>${line.map(cell).join('')}</row>`).join('');
	return `<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`;
}

interface Entry {
	name: Buffer;
	packed: Buffer;
	/** Version, flags, method, time, date, checksum, sizes and name length: alike in both headers. */
	common: Buffer;
}

function entryOf(path: string, text: string): Entry {
	const content = Buffer.from(text);
	const packed = deflateRawSync(content);
	const name = Buffer.from(path);
	const common = Buffer.alloc(26);
	common.writeUInt16LE(20, 0);
	common.writeUInt16LE(8, 4);
	common.writeUInt16LE(0x21, 8);
	common.writeUInt32LE(crc32(content), 10);
	common.writeUInt32LE(packed.length, 14);
	common.writeUInt32LE(content.length, 18);
	common.writeUInt16LE(name.length, 22);
	return { name, packed, common };
}

function zip(files: Record<string, string>): Buffer {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [path, text] of Object.entries(files)) {
		const { name, packed, common } = entryOf(path, text);
		const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, name, packed]);
		const tail = Buffer.alloc(14);
		tail.writeUInt32LE(offset, 10);
		directory.push(
			Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, tail, name]),
		);
		parts.push(local);
		offset += local.length;
	}
	const index = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.write('PK\u0005\u0006', 0, 'latin1');
	end.writeUInt16LE(directory.length, 8);
	end.writeUInt16LE(directory.length, 10);
	end.writeUInt32LE(index.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...parts, index, end]);
}

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The table as an Excel workbook. */
export function xlsxFile(table: Table): Buffer {
	const files = {
		'[Content_Types].xml': CONTENT_TYPES,
		'_rels/.rels': relations('officeDocument', 'xl/workbook.xml'),
		'xl/workbook.xml': WORKBOOK,
		'xl/_rels/workbook.xml.rels': relations('worksheet', 'sheet1.xml'),
		'xl/sheet1.xml': sheet(table),
	};
	return zip(
		Object.fromEntries(Object.entries(files).map(([path, text]) => [path, XML_DECLARATION + text])),
	);
}
