import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { listen } from '../e2e/harness/servers';

/**
 * A registry on this machine with one package, and a folder for PATH with an `npm` that always asks this registry: n8n
 * only accepts another registry than npm's with a licence.
 */
export async function startRegistry() {
	const published: Array<{ manifest: { name: string; version: string }; file: string }> = [];
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '', url);
		const tarball = published.find(({ file }) => pathname.endsWith(`/${path.basename(file)}`));
		if (tarball) return void response.end(readFileSync(tarball.file));
		const [{ manifest } = {}] = published;
		if (decodeURIComponent(pathname) !== `/${manifest?.name}`) {
			response.statusCode = 404;
			return void response.end('{"error":"Not found"}');
		}
		const versions = published.map(({ manifest: one, file }) => {
			const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
			const dist = { tarball: `${url}/${path.basename(file)}`, integrity };
			return [one.version, { ...one, dist }] as const;
		});
		const latest = published.at(-1)?.manifest.version;
		const all = { name: manifest?.name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
		response.end(JSON.stringify(all));
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-registry-'));
	const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();
	const script = `#!/bin/sh
for argument; do
	shift
	case "$argument" in
		--registry=*) set -- "$@" "--registry=${url}" ;;
		*) set -- "$@" "$argument" ;;
	esac
done
exec "${npm}" "$@"
`;
	writeFileSync(path.join(folder, 'npm'), script);
	chmodSync(path.join(folder, 'npm'), 0o755);
	return {
		/** A folder to put first in PATH. */
		folder,
		/** Publishes a tarball as the latest version. */
		publish(tarball: string): void {
			const args = ['-xzOf', tarball, 'package/package.json'];
			const manifest = JSON.parse(execFileSync('tar', args, { encoding: 'utf8' })) as never;
			const file = path.join(folder, `${published.length + 1}.tgz`);
			writeFileSync(file, readFileSync(tarball));
			published.push({ manifest, file });
		},
		async close(): Promise<void> {
			server.closeAllConnections();
			await once(server.close(), 'close');
			rmSync(folder, { recursive: true });
		},
	};
}
