import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { convertParameters } from '../../../nodes/PriceCollection/actions/migration/convertParameters.operation';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';

const mockLoaded: string[] = [];
jest.mock('meriyah', () => {
	mockLoaded.push('meriyah');
	return jest.requireActual<object>('meriyah');
});

it('loads the parser when a conversion runs, and not with the node', async () => {
	const parameters: IDataObject = { parameters: {} };
	const context = {
		getNodeParameter: (name: string, _index: number, fallback?: unknown) => parameters[name] ?? fallback,
	} as unknown as IExecuteFunctions;
	expect(new PriceCollection().description.name).toBe('priceCollection');
	expect(mockLoaded).toEqual([]);
	await convertParameters.execute.call(context, 0);
	expect(mockLoaded).toEqual(['meriyah']);
});
