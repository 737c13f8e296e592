import { formatSelectors } from '../../../nodes/PriceCollection/service/formats';

test.each([
	['json', 'application/json'],
	['xml', 'application/xml'],
	['csv', 'text/csv'],
	['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
] as const)('%s is asked for in three ways, JSON always on the documented path', (format, mediaType) => {
	const isJson = format === 'json';
	const accept = isJson ? mediaType : '*/*';
	const asked = { formatSelection: 'acceptHeader', formatParameter: 'as' } as const;
	expect(formatSelectors({ format }, asked)).toEqual({ accept: mediaType, suffix: '', query: {} });
	expect(formatSelectors({ format }, { ...asked, formatSelection: 'pathSuffix' })).toEqual({
		...{ accept, suffix: isJson ? '' : `.${format}`, query: {} },
	});
	expect(formatSelectors({ format }, { ...asked, formatSelection: 'queryParameter' })).toEqual({
		...{ accept, suffix: '', query: { as: format } },
	});
});
