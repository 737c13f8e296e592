import type { SandboxOptions } from '../options.ts';
import type { RefusalBody } from '../refusals.ts';

export interface ShapedRefusal {
	body: unknown;
	/** Name of the root in XML. */
	root: string;
	/** The only representation that the shape has; undefined: the one that was asked for. */
	only?: 'json' | 'xml';
	/** Sent instead of the usual Content-Type. */
	contentType?: string;
}

/** Code numbers of services that count their refusals. */
const CODES: Record<string, number> = { unauthorized: 1000, 'missing parameter': 1001 };

type Shape = (words: string, refusal: RefusalBody, status: number) => Partial<ShapedRefusal>;

const SHAPES: Record<SandboxOptions['refusalShape'], Shape> = {
	documented: (_words, refusal) => ({ body: refusal }),
	rails: (words, { parameter = 'base' }) => ({ body: { errors: { [parameter]: [words] } } }),
	fastapi: (words, { parameter = '' }) => ({
		body: { detail: [{ loc: ['body', parameter], msg: words, type: 'value_error' }] },
	}),
	code: (words, { reason }) => ({ body: { code: CODES[reason] ?? 1999, msg: words } }),
	nested: (words, { reason }) => ({ body: { Error: { Code: reason, Message: words } } }),
	list: (words) => ({ body: [words], root: 'errors' }),
	text: (words) => ({ body: words, root: 'error', only: 'json' }),
	xmlError: (words) => ({ body: words, root: 'error', only: 'xml' }),
	problem: (words, { parameter = 'request' }, status) => ({
		body: {
			type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
			title: 'One or more validation errors occurred.',
			status,
			errors: { [parameter.charAt(0).toUpperCase() + parameter.slice(1)]: [words] },
		},
		only: 'json',
		contentType: 'application/problem+json; charset=utf-8',
	}),
	laravel: (words, { parameter = 'request' }) => ({
		body: { message: 'The given data was invalid.', errors: { [parameter]: [words] } },
	}),
};

/** A refusal in the style that is switched on; every style but the documented one keeps little beside its words. */
export function shapedRefusal(
	refusal: RefusalBody,
	status: number,
	shape: SandboxOptions['refusalShape'],
): ShapedRefusal {
	// What it says to people: its comment, or the reason where it has none.
	const words = refusal.comment ?? refusal.reason;
	return { body: undefined, root: 'hash', ...SHAPES[shape](words, refusal, status) };
}
