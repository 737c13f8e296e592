import type { SandboxOptions } from '../options.ts';

type Fields = Record<string, unknown>;

/** Which reply a body belongs to; `list` has its own shapes and only takes the flag. */
export type ReplyKind = SandboxOptions['enveloped'][number] | 'list';

const FLAGS: Record<SandboxOptions['envelopeFlag'], Fields> = {
	none: {},
	error0: { error: 0 },
	successTrue: { success: true },
	successText: { success: 'true' },
	successOne: { success: 1 },
};

const ABOUT_REQUEST: Fields = { id: 'req-7', status: 'success' };

/** Name of the field that a reply is wrapped in; undefined where it stands bare. Only jobs are wrapped in `job`. */
export function wrapperOf(kind: ReplyKind, options: SandboxOptions): string | undefined {
	const { envelope, enveloped } = options;
	if (envelope === 'none' || kind === 'list' || !enveloped.includes(kind)) return undefined;
	if (envelope === 'job' && kind === 'usage') return undefined;
	return envelope === 'request' ? 'data' : envelope;
}

/** What stands beside the data in an envelope, or, without one, beside the fields of the data. */
export function flagOf(options: SandboxOptions, wrapper?: string): Fields {
	const about = wrapper !== undefined && options.envelope === 'request' ? ABOUT_REQUEST : {};
	return { ...about, ...FLAGS[options.envelopeFlag] };
}

/** A good reply in the envelope that is switched on. A bare list stays bare. */
export function enveloped(kind: ReplyKind, body: unknown, options: SandboxOptions): unknown {
	const wrapper = wrapperOf(kind, options);
	if (wrapper !== undefined) return { ...flagOf(options, wrapper), [wrapper]: body };
	return typeof body === 'object' && body !== null && !Array.isArray(body)
		? { ...flagOf(options), ...body }
		: body;
}
