import { getAll } from '../../../../nodes/PriceCollection/actions/job/getAll.operation';

test('the filters of the job list show a field of jobs as their example, not one of prices', () => {
	const text = JSON.stringify(getAll.fields);
	expect(text).toContain('e.g. status');
	expect(text).not.toContain('min_price');
});
