import { RecentMap } from '../../../nodes/PriceCollection/n8n/memory';

test('forgets what was set longest ago', () => {
	const map = new RecentMap<string, number>(2);
	map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
	expect([...map].join(' ')).toBe('a,3 c,4');
});
