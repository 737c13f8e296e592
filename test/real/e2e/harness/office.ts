import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { createOfficeCredentials } from '../../../support/office.cjs';
import { until } from '../../../support/until.cjs';
import type { OfficeState } from '../../../fakes/office/server';
import type { Message } from '../../../fakes/office/slack';
import type { Cell } from '../../../fakes/office/spreadsheet';
import type { CredentialReference, Outcome } from './e2e';
import { n8n } from './e2e';
import { sharedServers } from './shared';

/** Credentials for Google Sheets, Gmail, Slack and WooCommerce, by their type. */
export const officeCredentials = async (client = n8n()): Promise<Record<string, CredentialReference>> =>
	await createOfficeCredentials(client);

/** Replaces the given parts of this worker's office, and returns all that it holds. */
export async function office(parts?: Partial<OfficeState>): Promise<OfficeState> {
	const init = parts && { method: 'PUT', body: JSON.stringify(parts) };
	const reply = await fetch(`${sharedServers().officeUrl}/_office/state`, init);
	return (await reply.json()) as OfficeState;
}

/** A click on a button of a message, which opens its address in the browser. */
export async function click(message: Message | undefined, label: string): Promise<void> {
	const buttons = message?.blocks?.flatMap(({ elements = [] }) => elements);
	const url = buttons?.find(({ text }) => text.text === label)?.url;
	if (url === undefined) throw new Error(`There is no button ${label} in ${JSON.stringify(message)}`);
	// n8n ignores visits by programs, because some programs open links before a person clicks.
	const reply = await fetch(url, {
		headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
	});
	if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Sets n8n's clock this many days ahead. Callers must set it back: n8n's session ends after a week. */
export async function onDay(days: number): Promise<void> {
	const { clockFile } = sharedServers();
	const ahead = String(days * DAY_MS);
	writeFileSync(clockFile, ahead);
	await until('n8n to read its clock', () => {
		const read = `${clockFile}.read`;
		return existsSync(read) && readFileSync(read, 'utf8') === ahead;
	});
}

/** The day on which a node ran, in n8n's default time zone. */
export function dayOf({ execution }: Outcome, name: string): string {
	const { startTime } = execution.data.resultData.runData[name]?.[0] ?? {};
	return new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(startTime);
}

/** The rows of a sheet of the office by their columns, empty cells as ''. */
export async function sheetRows(document: string, tab: string): Promise<Array<Record<string, Cell>>> {
	const [header = [], ...rows] = (await office()).documents[document]?.[tab] ?? [];
	return rows.map((row) =>
		Object.fromEntries(header.map((column, place) => [String(column), row[place] ?? ''])),
	);
}
