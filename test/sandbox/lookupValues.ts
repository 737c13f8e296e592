import type { SandboxOptions } from './options.ts';
import { invalidParameter, missingParameter, Refusal } from './refusals.ts';

/** Whether a GTIN passes the checks that are switched on. */
export function isValidGtin(value: string, validation: SandboxOptions['gtinValidation']): boolean {
	if (!/^\d{1,14}$/.test(value)) return false;
	if (validation === 'length') return true;
	const digits = [...value.padStart(14, '0')].map(Number);
	const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 3 : 1), 0);
	return sum % 10 === 0;
}

/** A GTIN as the service repeats it; any other value unchanged. */
export function echoedGtin(key: string, value: string, options: SandboxOptions): string {
	if (key !== 'gtin' || !/^\d{1,14}$/.test(value) || options.gtinEcho === 'asSent') return value;
	return options.gtinEcho === 'padded' ? value.padStart(14, '0') : value.replace(/^0+(?=\d)/, '');
}

function listed(values: unknown, options: SandboxOptions): string[] {
	if (Array.isArray(values)) {
		if (!options.valuesForms.includes('array')) throw invalidParameter('values', 'must be a string');
		if (values.some((entry) => entry === null || typeof entry === 'object')) {
			throw invalidParameter('values', 'must hold strings');
		}
		return values.map(String).filter((entry) => entry !== '');
	}
	if (typeof values === 'object') throw invalidParameter('values', 'must be a string');
	if (!options.valuesForms.includes('string')) throw invalidParameter('values', 'must be an array');
	return String(values)
		.split(/\r?\n/)
		.filter((entry) => entry !== '');
}

function given(parameters: Record<string, unknown>, options: SandboxOptions): string[] {
	const { lookupValues } = options;
	if (lookupValues !== 'value' && parameters.values !== undefined && parameters.values !== null) {
		return listed(parameters.values, options);
	}
	const { value } = parameters;
	if (lookupValues === 'values' || value === undefined || value === null || value === '') return [];
	if (typeof value === 'object') throw invalidParameter('value', 'must be a string');
	return [String(value)];
}

/**
 * The lookup values of a create, from `value` or `values`. Throws when there are none, too many,
 * or one that may not be looked up.
 */
export function readLookup(
	parameters: Record<string, unknown>,
	key: string,
	options: SandboxOptions,
): string[] {
	const values = given(parameters, options);
	if (values.length === 0) throw missingParameter(options.lookupValues === 'values' ? 'values' : 'value');
	if (values.length > options.maxValues) {
		throw new Refusal('too many values', 'values', `A job takes at most ${options.maxValues} values.`);
	}
	const name = parameters.values === undefined ? 'value' : 'values';
	for (const value of values) {
		if (/^disabled/i.test(value))
			throw new Refusal('value disabled', name, `'${value}' is not available at the moment.`);
		if (/^noproduct/i.test(value))
			throw new Refusal('no product found', name, `No product belongs to '${value}'.`);
		if (
			key === 'gtin' &&
			options.invalidValues === 'refuse' &&
			!isValidGtin(value, options.gtinValidation)
		) {
			throw new Refusal('invalid value', name, `'${value}' is not a GTIN.`);
		}
	}
	return values;
}
