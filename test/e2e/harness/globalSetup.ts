import { startN8n } from '../../../tools/n8n/instance.cjs';
import { startSandboxProcess } from '../../../tools/sandbox.cjs';
import { publish, running } from './shared';

/** Starts the n8n and the sandbox that all files share. */
export default async function globalSetup(): Promise<void> {
	const sandbox = await startSandboxProcess();
	running.sandbox = sandbox;
	console.log(`\ne2e: sandbox at ${sandbox.url}, n8n is starting …`);
	const n8n = await startN8n();
	running.n8n = n8n;
	console.log(`e2e: n8n at ${n8n.url}, its log is ${n8n.logFile}`);
	publish({
		n8nUrl: n8n.url,
		n8nCookie: n8n.client.cookie,
		n8nPid: n8n.pid ?? 0,
		n8nUserFolder: n8n.userFolder,
		sandboxUrl: sandbox.url,
	});
}
