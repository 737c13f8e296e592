import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	arbitraryOwnService,
	contentOf,
	fieldNamesOf,
	isKeyed,
	topicOf,
	type OwnService,
} from '../../fakes/services/ownShapes';
import {
	expectedOf,
	ignoredShops,
	judge,
	problemWithEntries,
	type EntryRow,
	type Row,
} from '../../fakes/services/ownShapes.oracle';
import { runs } from '../../support/runs';
import { useSandbox } from '../../support/useSandbox';
import { forJob, itemsOf, seedJob } from '../support/core';

const sandbox = useSandbox({ autoFinish: false });

/**
 * Services of documented topics that both formats can express: XML allows no `@` in names, writes `_` as `-`, and an
 * object without fields as an empty text.
 */
const services = arbitraryOwnService().filter(
	({ shape }) =>
		shape.topic === 'usual' &&
		!isKeyed(shape) &&
		shape.spelling !== 'kebab' &&
		shape.list !== 'schemaOffers' &&
		shape.fields.shop?.way !== 'schemaOrg',
);

/** A service's rows in one format, through the whole node. */
async function rowsOf(
	{ shape, told, settings }: OwnService,
	jobId: string,
	parameters: INodeParameters,
	format: 'json' | 'xml',
): Promise<IDataObject[]> {
	const { conditions, currency, includeShipping } = settings;
	const ignored = ignoredShops(settings, shape).map((shop) => shop);
	const bestPriceOptions = {
		conditions,
		includeShipping,
		ignoreShops: ignored,
		...(currency && { currency }),
	};
	const options = { format, includeInputFields: false, priceFormat: 'number' };
	return await itemsOf(sandbox, forJob('download', jobId, { ...parameters, bestPriceOptions, options }), {
		credential: { customizeService: true, fieldNamesText: fieldNamesOf(shape, told) },
	});
}

test('a service that nobody has seen gives the same rows in JSON and XML, right or with what is missing', async () => {
	await fc.assert(
		fc.asyncProperty(services, async (service) => {
			const { shape, truths } = service;
			const values = truths.map((_truth, index) => `product ${index}`);
			const market = Object.fromEntries(
				truths.map((truth, index) => [values[index] ?? '', contentOf(truth, shape) as object]),
			);
			sandbox.setOptions({ market });
			const jobId = await seedJob(sandbox, values, { more: { topic: topicOf(shape) } });
			for (const parameters of [
				{ output: 'results', columns: 'all' },
				{ output: 'entries', columns: 'main' },
			]) {
				const rows = await rowsOf(service, jobId, parameters, 'json');
				expect(await rowsOf(service, jobId, parameters, 'xml')).toEqual(rows);
				for (const [index, truth] of truths.entries()) {
					const its = rows.filter(({ value }) => value === values[index]);
					const isOfResults = parameters.output === 'results';
					const verdict = isOfResults
						? judge(its[0] as unknown as Row, expectedOf(truth, service)).verdict
						: (problemWithEntries(its as unknown as EntryRow[], truth, service) ?? 'right');
					expect([its.length > 0, verdict]).toEqual([true, verdict === 'said' ? 'said' : 'right']);
				}
			}
		}),
		{ numRuns: runs(40) },
	);
});
