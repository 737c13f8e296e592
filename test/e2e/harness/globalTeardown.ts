import { running } from './shared';

/** Ends both; PRICE_COLLECTION_KEEP_N8N=1 leaves n8n's folder with its log and database behind. */
export default async function globalTeardown(): Promise<void> {
	running.sandbox?.stop();
	if (process.env.PRICE_COLLECTION_KEEP_N8N) await running.n8n?.stop();
	else await running.n8n?.remove();
}
