'use strict';

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { Daemon } = require('./daemon.cjs');

/** Where Debian keeps the programs of each version of PostgreSQL, which are not on PATH. */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';
const POSTGRESQL_USER = 'n8n';
/** The database that every new PostgreSQL comes with. */
const POSTGRESQL_DATABASE = 'postgres';

const MOST_BOOTS = 40;
const BETWEEN_BOOTS_MS = 500;

/** Redis with its own data folder; it saves its data when stopped, like Debian's service. */
class Redis extends Daemon {
	/**
	 * @param {string} folder an empty one
	 * @param {number} port
	 */
	constructor(folder, port) {
		super('Redis', path.join(folder, 'redis.log'));
		this.folder = folder;
		this.port = port;
	}

	command() {
		const settings = {
			port: this.port,
			bind: '127.0.0.1',
			dir: this.folder,
			save: '3600 1 300 100 60 10000',
		};
		const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
		return { file: 'redis-server', args, options: {} };
	}

	/** Redis accepts connections before it has loaded its data. */
	async isReady() {
		const socket = net.connect(this.port, '127.0.0.1');
		try {
			await once(socket, 'connect');
			socket.write('PING\r\n');
			const [reply] = await once(socket, 'data');
			return String(reply).startsWith('+PONG');
		} catch {
			return false;
		} finally {
			socket.destroy();
		}
	}

	/** The settings with which n8n uses it. */
	get n8nSettings() {
		return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: String(this.port) };
	}
}

/** The folder of PostgreSQL's programs: Debian's newest version, or empty for the programs on PATH. */
function postgresqlPrograms() {
	const versions = fs.existsSync(DEBIAN_POSTGRESQL) ? fs.readdirSync(DEBIAN_POSTGRESQL) : [];
	const [newest] = versions.sort((a, b) => Number(b) - Number(a));
	return newest === undefined ? '' : path.join(DEBIAN_POSTGRESQL, newest, 'bin');
}

/** The user for PostgreSQL, which refuses to run as root: `postgres` or `nobody`. */
function unprivileged() {
	if (process.getuid?.() !== 0) return {};
	const idOf = (flag, user) =>
		Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }));
	for (const user of ['postgres', 'nobody']) {
		try {
			return { uid: idOf('-u', user), gid: idOf('-g', user) };
		} catch {
			// This machine has no such user.
		}
	}
	throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}

/** PostgreSQL with its own data folder, without a password on the loopback address. */
class PostgreSql extends Daemon {
	/**
	 * @param {string} folder an empty one
	 * @param {number} port
	 */
	constructor(folder, port) {
		// SIGINT is a "fast" shutdown, as by its service: it does not wait for clients.
		super('PostgreSQL', path.join(folder, 'postgresql.log'), 'SIGINT');
		this.data = path.join(folder, 'data');
		this.port = port;
		this.programs = postgresqlPrograms();
		this.user = unprivileged();
	}

	/** Creates an empty database. */
	init() {
		fs.mkdirSync(this.data, { recursive: true });
		if (this.user.uid !== undefined) fs.chownSync(this.data, this.user.uid, this.user.gid);
		const args = [
			'-D',
			this.data,
			'-U',
			POSTGRESQL_USER,
			'-A',
			'trust',
			'-E',
			'UTF8',
			'--locale=C',
			'--no-sync',
		];
		execFileSync(path.join(this.programs, 'initdb'), args, {
			...this.user,
			cwd: this.data,
			stdio: 'pipe',
		});
	}

	command() {
		// Without fsync, data survives a crash of PostgreSQL, but not of the machine.
		const settings = {
			port: this.port,
			listen_addresses: '127.0.0.1',
			unix_socket_directories: '',
			fsync: 'off',
		};
		const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
		return {
			file: path.join(this.programs, 'postgres'),
			args: ['-D', this.data, ...args],
			options: { ...this.user, cwd: this.data },
		};
	}

	/** After a `kill -9`, PostgreSQL does not start until all its old processes have ended. */
	async boot() {
		for (let tries = 1; ; tries++) {
			try {
				return await super.boot();
			} catch (error) {
				const isOldOneThere = /pre-existing shared memory block .* is still in use/.test(
					error.message,
				);
				if (!isOldOneThere || tries === MOST_BOOTS) throw error;
				await sleep(BETWEEN_BOOTS_MS);
			}
		}
	}

	async isReady() {
		try {
			const args = ['-q', '-h', '127.0.0.1', '-p', String(this.port)];
			execFileSync(path.join(this.programs, 'pg_isready'), args, { stdio: 'ignore' });
			return true;
		} catch {
			return false;
		}
	}

	/**
	 * The rows of a query, each a list of texts; NULL is an empty text.
	 * @param {string} sql
	 * @returns {string[][]}
	 */
	query(sql) {
		const args = [
			'-h',
			'127.0.0.1',
			'-p',
			String(this.port),
			'-U',
			POSTGRESQL_USER,
			'-d',
			POSTGRESQL_DATABASE,
		];
		const format = [
			'-X',
			'-q',
			'-t',
			'-A',
			'-F',
			'\u001f',
			'-R',
			'\u001e',
			'-v',
			'ON_ERROR_STOP=1',
			'-c',
			sql,
		];
		const text = execFileSync(path.join(this.programs, 'psql'), [...args, ...format], {
			encoding: 'utf8',
		});
		const rows = text.replace(/\n$/, '');
		return rows === '' ? [] : rows.split('\u001e').map((row) => row.split('\u001f'));
	}

	/** The settings with which n8n uses it. */
	get n8nSettings() {
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_DATABASE: POSTGRESQL_DATABASE,
			DB_POSTGRESDB_USER: POSTGRESQL_USER,
			DB_POSTGRESDB_PASSWORD: 'none',
			// With its default of two, n8n 2.41 deadlocks on 60 concurrent webhook calls, whichever process takes them.
			DB_POSTGRESDB_POOL_SIZE: '10',
		};
	}
}

module.exports = { PostgreSql, Redis };
