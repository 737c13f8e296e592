import { isTool } from '../../../nodes/PriceCollection/n8n/execution';
import { nodeContext } from '../nodeContext';

it('is that of a tool by its type, or as n8n tells', () => {
	const type = 'x.priceCollection';
	const more = { isToolExecution: () => true };
	const told = [{ type: `${type}Tool` }, { type }, { type, more }].map((fake) =>
		isTool(nodeContext(fake).context),
	);
	expect(told).toEqual([true, false, true]);
});
