import type { FastifyRequest } from 'fastify';
import type { SandboxOptions } from '../options.ts';
import { Refusal } from '../refusals.ts';

function basicKey(header: string, options: SandboxOptions): string | undefined {
	const match = /^Basic (.+)$/i.exec(header);
	const pair = match ? Buffer.from(match[1] ?? '', 'base64').toString() : undefined;
	if (pair === undefined) return undefined;
	return pair === `${options.username}:${options.password}` ? options.apiKey : 'wrong';
}

function candidates(
	request: FastifyRequest,
	parameters: Record<string, unknown>,
	options: SandboxOptions,
): unknown[] {
	const allowed = (place: SandboxOptions['authentication'][number]) =>
		options.authentication.includes(place);
	const authorization = request.headers.authorization ?? '';
	return [
		allowed('query') && (request.query as Record<string, unknown>)[options.authParameter],
		allowed('body') && parameters[options.authParameter],
		allowed('header') && request.headers[options.authHeader.toLowerCase()],
		allowed('bearer') && /^Bearer (.+)$/i.exec(authorization)?.[1],
		allowed('basic') && basicKey(authorization, options),
	];
}

/** The key of the account that asks; throws the documented refusal when there is no right one. */
export function accountOf(
	request: FastifyRequest,
	parameters: Record<string, unknown>,
	options: SandboxOptions,
	reason = 'unauthorized',
): string {
	const keys = [options.apiKey, options.secondApiKey];
	const found = candidates(request, parameters, options).find((key) => keys.includes(key as string));
	if (typeof found === 'string') return found;
	const name = options.authParameter;
	const headers: Record<string, string> = options.wwwAuthenticate
		? { 'www-authenticate': options.wwwAuthenticate }
		: {};
	throw new Refusal(reason, name, `Provide your API key with the parameter '${name}'!`, headers);
}
