import { createRequire } from 'node:module';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { until } from '../../../tools/until.cjs';
import { n8n } from './e2e';

/** The n8n under test brings the client that its own MCP server is made for. */
const RUNTIME = path.resolve(
	process.env.PRICE_COLLECTION_N8N_DIR ?? path.join(__dirname, '../../n8n'),
	'package.json',
);

interface Transport {
	close(): Promise<void>;
}

export interface McpTool {
	name: string;
	description?: string;
	inputSchema: { properties?: Record<string, { type?: string; description?: string }> };
}

interface McpResult {
	isError?: boolean;
	content: Array<{ type: string; text: string }>;
}

/** What this uses of the SDK's client. */
interface SdkClient {
	connect(transport: Transport): Promise<void>;
	listTools(): Promise<{ tools: McpTool[] }>;
	callTool(
		call: { name: string; arguments: IDataObject },
		schema?: undefined,
		options?: { timeout: number },
	): Promise<McpResult>;
	close(): Promise<void>;
}

interface Sdk {
	Client: new (info: { name: string; version: string }) => SdkClient;
	StreamableHTTPClientTransport: new (url: URL) => Transport;
	SSEClientTransport: new (url: URL) => Transport;
}

function sdk(): Sdk {
	const load = createRequire(RUNTIME);
	const parts = ['client/index.js', 'client/streamableHttp.js', 'client/sse.js'];
	return Object.assign({}, ...parts.map((part) => load(`@modelcontextprotocol/sdk/${part}`))) as Sdk;
}

/** Clients of this protocol give up on a call after so long. */
const CALL_TIMEOUT_MS = 60_000;

/** A client of an MCP Server Trigger, as an assistant on a desktop is one. */
export class McpClient {
	private constructor(private readonly client: SdkClient) {}

	/**
	 * Connects to the trigger of an active workflow.
	 * @param webhookPath its parameter Path
	 */
	static async connect(webhookPath: string, transport: 'http' | 'sse' = 'http'): Promise<McpClient> {
		const { Client, StreamableHTTPClientTransport, SSEClientTransport } = sdk();
		const url = new URL(`${n8n().baseUrl}/mcp/${webhookPath}`);
		// A webhook is reachable about a second after the activation.
		let fault: unknown;
		return await until(
			() => `${url.href} is reachable: ${String(fault)}`,
			async () => {
				const client = new Client({ name: 'test', version: '1.0.0' });
				const way = transport === 'http' ? StreamableHTTPClientTransport : SSEClientTransport;
				try {
					await client.connect(new way(url));
					return new McpClient(client);
				} catch (error) {
					fault = error;
					return undefined;
				}
			},
		);
	}

	async tools(): Promise<McpTool[]> {
		return (await this.client.listTools()).tools;
	}

	/** Calls the only tool there is; what it says as text, and whether that is an error. */
	async call(args: IDataObject): Promise<{ text: string; isError: boolean }> {
		const [tool] = await this.tools();
		const { content, isError = false } = await this.client.callTool(
			{ name: tool?.name ?? '', arguments: args },
			undefined,
			{ timeout: CALL_TIMEOUT_MS },
		);
		return { text: content.map(({ text }) => text).join(''), isError };
	}

	async close(): Promise<void> {
		await this.client.close();
	}
}
