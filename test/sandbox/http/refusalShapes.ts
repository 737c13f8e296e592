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

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Code numbers of services that count their refusals. */
const CODES: Record<string, number> = { unauthorized: 1000, 'missing parameter': 1001 };

/** What a refusal says to people: its comment, or the reason where it has none. */
export function wordsOf({ reason, comment }: RefusalBody): string {
	return comment ?? reason;
}

/** A refusal in the style that is switched on; every style but the documented one keeps little beside its words. */
export function shapedRefusal(
	refusal: RefusalBody,
	status: number,
	shape: SandboxOptions['refusalShape'],
): ShapedRefusal {
	const words = wordsOf(refusal);
	const { reason, parameter } = refusal;
	const hash = (body: object): ShapedRefusal => ({ body, root: 'hash' });
	switch (shape) {
		case 'documented':
			return hash(refusal);
		case 'rails':
			return { body: { errors: { [parameter ?? 'base']: [words] } }, root: 'hash' };
		case 'fastapi':
			return hash({ detail: [{ loc: ['body', parameter ?? ''], msg: words, type: 'value_error' }] });
		case 'code':
			return hash({ code: CODES[reason] ?? 1999, msg: words });
		case 'nested':
			return hash({ Error: { Code: reason, Message: words } });
		case 'list':
			return { body: [words], root: 'errors' };
		case 'text':
			return { body: words, root: 'error', only: 'json' };
		case 'xmlError':
			return { body: words, root: 'error', only: 'xml' };
		case 'problem':
			return {
				...hash({
					type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
					title: 'One or more validation errors occurred.',
					status,
					errors: { [upperFirst(parameter ?? 'request')]: [words] },
				}),
				only: 'json',
				contentType: 'application/problem+json; charset=utf-8',
			};
		case 'laravel':
			return hash({
				message: 'The given data was invalid.',
				errors: { [parameter ?? 'request']: [words] },
			});
	}
}
