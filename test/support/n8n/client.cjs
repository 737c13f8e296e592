'use strict';

const { parse } = require('flatted');
const { until } = require('../until.cjs');

/** The owner of every n8n that the tools start, which can only be reached on this machine. */
const OWNER = {
	email: 'demo@example.com',
	password: 'Prices-2-collect',
	firstName: 'Price',
	lastName: 'Collection',
};

/** n8n ties the login cookie to it, so a browser that borrows the cookie needs the same one. */
const BROWSER_ID = 'price-collection-tools';

/** The final statuses of an execution. */
const ENDED = ['success', 'error', 'canceled', 'crashed'];

/**
 * @typedef {object} Execution
 * @property {string} id
 * @property {'new'|'running'|'waiting'|'success'|'error'|'canceled'|'crashed'|'unknown'} status
 * @property {string} mode
 * @property {string | null} waitTill
 * @property {import('n8n-workflow').IRunExecutionData} data
 */

/** n8n answered with an error status. */
class RestError extends Error {
	/**
	 * @param {string} what
	 * @param {number} status
	 * @param {string} body
	 */
	constructor(what, status, body) {
		super(`${what}: ${status} ${body.slice(0, 500)}`);
		this.status = status;
		this.body = body;
	}
}

/** Uses n8n's internal REST API as the editor does, logged in as the owner. */
class N8nClient {
	/**
	 * @param {string} baseUrl e.g. `http://127.0.0.1:5690`
	 * @param {string} [cookie] of another client, instead of logging in
	 */
	constructor(baseUrl, cookie = '') {
		this.baseUrl = baseUrl;
		this.cookie = cookie;
	}

	/**
	 * Sends a request, and repeats it while n8n refuses it because its database or the machine is busy.
	 * @param {string} method
	 * @param {string} path below the base address
	 * @param {unknown} [body] sent as JSON
	 * @returns {Promise<any>} the `data` of the answer
	 */
	async call(method, path, body) {
		const { data } = await until(`${method} ${path} is not refused because n8n is busy`, async () => {
			try {
				return { data: await this.callOnce(method, path, body) };
			} catch (error) {
				// In n8n 1 with SQLite, concurrent transactions disturb each other. The time that n8n gives regular
				// expressions, here before it starts a run, goes on while other processes have the processor.
				const isBusy =
					/Database is not ready|SQLITE_ERROR|TransactionNotStarted|Regular expression execution timed out/.test(
						error.body,
					);
				if (!isBusy || error.status < 500) throw error;
			}
		});
		return data;
	}

	async callOnce(method, path, body) {
		const reply = await fetch(this.baseUrl + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': BROWSER_ID,
				cookie: this.cookie,
				// n8n closes idle connections after 5 seconds. On a busy machine the next request would fail.
				connection: 'close',
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const fresh = reply.headers.getSetCookie();
		if (fresh.length > 0) this.cookie = fresh.map((entry) => entry.split(';')[0]).join('; ');
		const text = await reply.text();
		if (!reply.ok) throw new RestError(`${method} ${path}`, reply.status, text);
		return text === '' ? undefined : JSON.parse(text).data;
	}

	/** Creates the owner on a fresh n8n, logs in on a used one. */
	async logIn() {
		const { userManagement } = await this.call('GET', '/rest/settings');
		if (userManagement.showSetupOnFirstLoad) {
			await this.call('POST', '/rest/owner/setup', OWNER);
			return;
		}
		const { email, password } = OWNER;
		await this.call('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	}

	/**
	 * @param {string} name
	 * @param {Record<string, unknown>} data
	 * @param {string} [type]
	 * @returns {Promise<{ id: string, name: string, type: string }>}
	 */
	async createCredential(name, data, type = 'priceCollectionApi') {
		return await this.call('POST', '/rest/credentials', { name, type, data });
	}

	/**
	 * What the button in the credential's window does.
	 * @param {Record<string, unknown>} data
	 * @param {string} [type]
	 * @returns {Promise<{ status: 'OK' | 'Error', message: string }>}
	 */
	async testCredential(data, type = 'priceCollectionApi') {
		const { id, name } = await this.createCredential(`Tested ${Date.now()}`, data, type);
		try {
			return await this.call('POST', '/rest/credentials/test', {
				credentials: { id, name, type, data },
			});
		} finally {
			await this.call('DELETE', `/rest/credentials/${id}`);
		}
	}

	/**
	 * @param {{ name?: string, nodes: unknown[], connections: unknown, settings?: object, pinData?: object }} workflow
	 * @returns {Promise<{ id: string, name: string, versionId: string }>}
	 */
	async createWorkflow({ name = 'Test', nodes, connections, settings, pinData }) {
		return await this.call('POST', '/rest/workflows', {
			name,
			nodes,
			connections,
			settings: { executionOrder: 'v1', ...settings },
			...(pinData ? { pinData } : {}),
			active: false,
		});
	}

	/** @param {string} workflowId */
	async activate(workflowId) {
		const { versionId } = await this.call('GET', `/rest/workflows/${workflowId}`);
		await this.setActive(workflowId, true, versionId);
	}

	/** @param {string} workflowId */
	async deactivate(workflowId) {
		await this.setActive(workflowId, false);
	}

	async setActive(workflowId, active, versionId) {
		const path = `/rest/workflows/${workflowId}`;
		try {
			await this.call('POST', `${path}/${active ? 'activate' : 'deactivate'}`, { versionId });
		} catch (error) {
			if (error.status !== 404) throw error;
			// Most n8n 1.x versions lack these routes: there it is a property of the workflow.
			await this.call('PATCH', path, { active, versionId });
		}
	}

	/**
	 * A click on "Execute workflow".
	 * @param {string} workflowId
	 * @param {string} startNode name of a Manual Trigger node
	 * @returns {Promise<string>} the execution's id
	 */
	async startManually(workflowId, startNode) {
		const path = `/rest/workflows/${workflowId}`;
		const { executionId } = await this.call('POST', `${path}/run`, {
			triggerToStartFrom: { name: startNode },
			// Older versions of n8n run the workflow in the request; later ones run the saved one and ignore this.
			workflowData: await this.call('GET', path),
		});
		return executionId;
	}

	/**
	 * Calls a production webhook, again while n8n does not know it yet (for about a second after activation).
	 * @param {string} path behind `/webhook/`
	 * @param {RequestInit} [init] a POST without body if absent
	 */
	async callWebhook(path, init = { method: 'POST' }) {
		return await until(`n8n knows the webhook ${path}`, async () => {
			const reply = await fetch(`${this.baseUrl}/webhook/${path}`, init);
			if (reply.status !== 404) return reply;
			await reply.arrayBuffer();
		});
	}

	/**
	 * @param {string} workflowId
	 * @returns {Promise<Array<Pick<Execution, 'id' | 'status' | 'mode' | 'waitTill'>>>} newest first
	 */
	async executionsOf(workflowId) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await this.call('GET', `/rest/executions?filter=${filter}`)).results;
	}

	/**
	 * @param {string} id
	 * @returns {Promise<Execution>}
	 */
	async execution(id) {
		const found = await this.call('GET', `/rest/executions/${id}`);
		return { ...found, data: parse(found.data) };
	}

	/**
	 * Waits until the execution has one of the statuses.
	 * @param {string} id
	 * @param {{ until?: string[], timeoutMs?: number }} [options] any final status if absent
	 */
	async waitForExecution(id, { until: wanted = ENDED, timeoutMs } = {}) {
		let status = 'new';
		const what = () => `execution ${id} is ${status}, not ${wanted.join(' or ')}`;
		const look = async () => {
			({ status } = await this.statusOf(id));
			if (wanted.includes(status)) return true;
			if (ENDED.includes(status)) throw new Error(what());
		};
		await until(what, look, timeoutMs);
		return await this.execution(id);
	}

	/**
	 * The status alone, without the run data, which may be large.
	 * @param {string} id
	 * @returns {Promise<{ status: string, waitTill?: string | null }>}
	 */
	async statusOf(id) {
		// n8n has no filter by id, so a younger execution must not push this one out of the list.
		const { results } = await this.call('GET', '/rest/executions?limit=100');
		return results.find((entry) => entry.id === id) ?? { status: 'new' };
	}

	/**
	 * Waits until the workflow has an execution, e.g. one that a trigger started.
	 * @param {string} workflowId
	 * @param {{ count?: number, timeoutMs?: number }} [options]
	 * @returns {Promise<string[]>} ids, newest first
	 */
	async waitForExecutions(workflowId, { count = 1, timeoutMs } = {}) {
		let found = [];
		const look = async () => {
			found = await this.executionsOf(workflowId);
			return found.length >= count;
		};
		await until(() => `${found.length} executions of ${workflowId}, not ${count}`, look, timeoutMs);
		return found.map(({ id }) => id);
	}

	/**
	 * The bytes of a file that a node has output.
	 * @param {string} id of the binary data, e.g. `filesystem-v2:workflows/…`
	 */
	async binary(id) {
		const query = new URLSearchParams({ id, action: 'download' });
		const path = `/rest/binary-data?${query}`;
		const reply = await fetch(this.baseUrl + path, {
			headers: { 'browser-id': BROWSER_ID, cookie: this.cookie },
		});
		if (!reply.ok) throw new RestError(`GET ${path}`, reply.status, await reply.text());
		return Buffer.from(await reply.arrayBuffer());
	}

	/**
	 * The "From list" choices of a resource locator.
	 * @param {object} request `{ path, methodName, nodeTypeAndVersion, currentNodeParameters, credentials, filter? }`
	 */
	async listSearch(request) {
		return await this.call('POST', '/rest/dynamic-node-parameters/resource-locator-results', request);
	}
}

/**
 * Items of one output of one round of a node; `[]` when it did not run.
 * @param {Execution} execution
 * @param {string} node
 * @param {number} [output]
 * @param {number} [round]
 */
function itemsOf(execution, node, output = 0, round = 0) {
	return execution.data.resultData.runData[node]?.[round]?.data?.main?.[output] ?? [];
}

module.exports = { BROWSER_ID, ENDED, N8nClient, OWNER, RestError, itemsOf };
