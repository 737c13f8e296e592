/** Nodes as people put them together today, and ours. */

import { QUESTION } from './service.mjs';

/** A request with the key in the query. */
export function httpRequest(name, url, parameters = {}) {
	return {
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpQueryAuth',
			options: {},
			...parameters,
		},
	};
}

/** One item per entry of a list. `keep`: `all` other fields, or the names of some; none if absent. */
export function splitOut(name, list, keep) {
	const include = { all: { include: 'allOtherFields' }, undefined: {} }[keep];
	return {
		name,
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: {
			fieldToSplitOut: list,
			...(include ?? { include: 'selectedOtherFields', fieldsToInclude: keep }),
		},
	};
}

/** Our node with one of its job operations. */
export function priceCollection(name, operation, parameters) {
	return {
		name,
		type: 'n8n-nodes-price-collection.priceCollection',
		typeVersion: 1,
		parameters: { resource: 'job', operation, ...parameters },
	};
}

/** `QUESTION` in our node's fields. */
export const question = {
	// No spending limit: the benchmarks look up thousands of values.
	maxCredits: 0,
	topic: QUESTION.topic,
	source: { __rl: true, mode: 'name', value: QUESTION.source },
	country: { __rl: true, mode: 'code', value: QUESTION.country },
	lookupKey: QUESTION.key,
};

const main = (...outputs) => ({
	main: outputs.map((node) => (node === undefined ? [] : [{ node, type: 'main', index: 0 }])),
});

/** An expression for the body of a creation. `values`: its lookup values, as a field of a JavaScript object. */
export const creationOf = (values) =>
	`={{ JSON.stringify({ ...${JSON.stringify(QUESTION).replaceAll('}}', '} }')}, ${values} }) }}`;

/**
 * The usual chain around a job service: create, wait, look at the status, wait again unless it is finished,
 * download. `body` is the expression for the create's JSON body, `results` what follows the download.
 *
 * @param {{ batchSize?: number, waitSeconds?: number }} [pace] requests that each node sends per second; all at once
 *   when absent
 */
export function usualChain(baseUrl, body, before, results, { batchSize, waitSeconds = 5 } = {}) {
	const job = `=${baseUrl}/v2/jobs/{{ $json.job_id }}`;
	const batching = { batch: { batchSize, batchInterval: 1_000 } };
	const request = (name, url, parameters) =>
		httpRequest(name, url, { ...parameters, options: batchSize === undefined ? {} : { batching } });
	const create = request('Create', `${baseUrl}/v2/jobs`, {
		method: 'POST',
		sendBody: true,
		specifyBody: 'json',
		jsonBody: body,
	});
	const wait = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount: waitSeconds, unit: 'seconds' },
		webhookId: 'bench-wait',
	};
	const isFinished = {
		name: 'Finished?',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: { conditions: equals('={{ $json.status }}', 'finished'), options: {} },
	};
	const download = request('Download', `${job}/download`);
	return {
		nodes: [...before, create, wait, request('Status', job), isFinished, download, ...results],
		connections: { 'Finished?': main('Download', 'Wait') },
		last: results.at(-1).name,
	};
}

function equals(leftValue, rightValue) {
	const operator = { type: 'string', operation: 'equals' };
	return {
		options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
		conditions: [{ id: 'condition', leftValue, rightValue, operator }],
		combinator: 'and',
	};
}
