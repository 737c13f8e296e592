import { running } from './shared';

/** Ends all servers; PRICE_COLLECTION_KEEP_N8N=1 leaves n8n's folders with log and database behind. */
export default async function globalTeardown(): Promise<void> {
	for (const { n8n, sandbox, office } of running) {
		sandbox?.stop();
		office?.stop();
		if (process.env.PRICE_COLLECTION_KEEP_N8N) await n8n?.stop();
		else await n8n?.remove();
	}
}
