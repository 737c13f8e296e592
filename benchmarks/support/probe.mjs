/** Puts `probe.cjs` into an n8n, and asks it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('probe.cjs', import.meta.url));

export class Probe {
	constructor() {
		this.folder = mkdtempSync(path.join(tmpdir(), 'price-collection-probe-'));
		this.socket = path.join(this.folder, 'socket');
		/** Environment variables for the n8n. */
		this.env = { NODE_OPTIONS: `--require ${FILE}`, PRICE_COLLECTION_PROBE: this.socket };
	}

	/**
	 * Returns what n8n's main thread did since the last call, and collects n8n's garbage.
	 * @returns {Promise<{ blocks: import('./eventLoop.cjs').Block[], mainThread: number }>} seconds of processor time
	 */
	async ask() {
		const connection = net.connect(this.socket);
		let text = '';
		connection.on('data', (chunk) => (text += chunk));
		await once(connection, 'close');
		return JSON.parse(text);
	}

	remove() {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
