import { newNonce, signatureHashOf } from '../callback/signature';
import type { Problem } from '../service/problems';
import { purchasedValuesOf, recordJob, type Creating } from './creating';
import type { Purchase } from '../run/formats';
import { asTooMany, encodedLookup, type Encoding } from './encodings';
import type { PlannedJob } from './plan';
import { hasInlineValue } from './request';
import { withMark } from './signing';

/** The outcome of a creation request. `refused`: certainly nothing was created. `lost`: a job may have been created. */
export type SendOutcome =
	| { kind: 'created' }
	| { kind: 'refused'; problem: Problem }
	| { kind: 'lost'; problem: Problem; purchase: Purchase };

/**
 * Sends the request for one job, and records it in the ledger before and after. Never repeats it blindly. Everything up
 * to the first record is synchronous, so that no other execution can request the same in between.
 */
export async function sendCreation(
	creating: Creating,
	planned: PlannedJob,
	encoding: Encoding,
): Promise<SendOutcome> {
	const { client, context, ledger, settings, spending } = creating;
	const overLimit = spending.refusalOf(planned);
	if (overLimit !== undefined) return { kind: 'refused', problem: overLimit };
	const nonce = newNonce();
	const { webhookUrlParameter } = client.connection;
	const parameters = withMark(client, planned.request.parameters, nonce);
	const lookup = hasInlineValue(parameters) ? {} : encodedLookup(encoding, planned.request.values);
	const creation = {
		sentAt: client.clock.now(),
		executionId: context.getExecutionId(),
		nonce,
		signatureHash: signatureHashOf(parameters[webhookUrlParameter]),
	};
	const what = ledger.whatOf(planned.request.parameters, webhookUrlParameter);
	const purchase = ledger.enter(what, purchasedValuesOf(planned), creation, planned.request);
	const timeoutMs = settings.fields.timeoutMs();
	const create = async () =>
		await client.createJob({ ...parameters, ...lookup }, { timeoutMs, repeat: false });
	const release = spending.reserve(planned);
	const reply = await ledger.during(purchase, create).finally(release);
	if (reply.ok) {
		recordJob(creating, planned, purchase, reply.value);
		return { kind: 'created' };
	}
	const { problem } = reply;
	if (problem.effect === 'none') {
		ledger.drop(purchase);
		return { kind: 'refused', problem: asTooMany(problem, planned.request.values.length) };
	}
	ledger.note(purchase, { ...creation, lostAt: client.clock.now() });
	return { kind: 'lost', problem, purchase };
}
