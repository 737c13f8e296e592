import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { decodeBody } from '../../../nodes/PriceCollection/service/http/decode/body';
import { forJob, runNode, TERM_PARAMETERS } from '../support/core';
import { usePlainService } from '../support/plainService';
import { anyBody, anyContentType } from './bodies';
import { faultOf, fuzz } from './fuzz';

const service = usePlainService();

const turn = async () => {};

fuzz(
	'any bytes are a value or a sentence, and no larger than they came',
	0.3,
	[anyBody, anyContentType],
	async (body, contentType) => {
		const whole = await decodeBody(body, contentType, turn);
		// JSON may need six characters for a one-byte character. Names and end tags cost XML at least as much.
		expect(JSON.stringify(whole).length).toBeLessThanOrEqual(8 * body.length + 500);
	},
);

/** The operations that read a reply, each with the address that it requests. */
const READERS: ReadonlyArray<readonly [address: string, parameters: INodeParameters]> = [
	['POST /v2/jobs', TERM_PARAMETERS],
	['GET /v2/jobs/j1', forJob('get', 'j1')],
	['GET /v2/jobs', { resource: 'job', operation: 'getAll', returnAll: true }],
	['GET /v2/jobs/j1/download', forJob('download', 'j1')],
	['GET /v2/jobs/j1/download', forJob('download', 'j1', { format: 'xml' })],
	['POST /v2/jobs/j1/cancel', forJob('cancel', 'j1')],
	['GET /v2/me/usage_today', { resource: 'usage', operation: 'getToday' }],
];

const STATUSES = [200, 200, 200, 201, 202, 204, 206, 400, 401, 404, 408, 409, 422, 429, 500, 503];

fuzz(
	'any reply to any operation becomes items or an error that people can read',
	0.15,
	[fc.constantFrom(...READERS), anyBody, anyContentType, fc.constantFrom(...STATUSES)],
	async ([address, parameters], body, contentType, status) => {
		const headers = contentType === undefined ? undefined : { 'content-type': contentType };
		service.reset({ [address]: { status, headers, body } });
		const run = await runNode(service, parameters, { input: [{ term: 'lamp' }] });
		expect(faultOf(run)).toBeUndefined();
	},
);
