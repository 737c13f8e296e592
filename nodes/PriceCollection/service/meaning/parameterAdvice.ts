import type { ConnectionSettings } from '../connection';
import type { ParameterFault } from '../problems';
import { PARAMETERS } from '../requestNames';
import { isTextOrNumber } from '../types';
import { REQUIRED_PARAMETERS, type RefusedRequest } from './parameterFaults';

/*
 * Says which setting helps against a parameter that the service refused.
 */

const IN_CREDENTIAL = 'under Customize Service in the credential';
const OTHER_NAME = `If the service has another name for it, enter that in Request Names ${IN_CREDENTIAL}`;

/** The settings that advice depends on. */
type AdviceSettings = Pick<ConnectionSettings, 'countryCase' | 'lookupValues' | 'requestBody' | 'testSource'>;

/** Returns a sentence, without a full stop, about the setting that helps. */
type Advice = (fault: ParameterFault, connection: AdviceSettings, value: string) => string | undefined;

/** Advice for a parameter reported as missing. If it was sent, the service may not have read the body. */
const adviseOnMissing: Advice = ({ isSent, serviceName, parameter }, { requestBody }) => {
	if (!isSent && REQUIRED_PARAMETERS.includes(parameter)) return undefined;
	if (!isSent)
		return `${serviceName} was not sent. If it is the service's name for a parameter such as source, enter it in Request Names ${IN_CREDENTIAL}; otherwise send it through Additional Parameters`;
	const [format, option] = requestBody === 'form' ? ['JSON', 'JSON'] : ['forms', 'Form'];
	return `${serviceName} was sent. If the service reads ${format}, set Request Body to ${option} ${IN_CREDENTIAL}`;
};

const adviseOnUnknown: Advice = ({ serviceName, parameter }) =>
	PARAMETERS.includes(parameter)
		? `${serviceName} was sent. ${OTHER_NAME}; with an empty name it is not sent`
		: `${serviceName} was sent as you entered it. Correct or remove it in Additional Parameters or Query Parameters`;

const adviseOnForm: Advice = (fault, connection, value) => {
	const { isSent, serviceName, complaint } = fault;
	if (connection.lookupValues !== 'automatic')
		return `If the service expects the values in another form, choose it as Lookup Values ${IN_CREDENTIAL}`;
	if (!isSent || complaint === 'form') return undefined;
	return complaint === 'missing'
		? adviseOnMissing(fault, connection, value)
		: `${serviceName} was sent. ${OTHER_NAME}`;
};

const adviseOnPaging =
	(setting: string): Advice =>
	({ serviceName }) =>
		`${serviceName} was sent. Enter the service's name for it as ${setting} ${IN_CREDENTIAL}, or leave ${setting} empty, so that it is not sent; Pagination there says how pages are requested`;

/** Advice by parameter, and by what the refusal says about it. */
const ADVICE: Readonly<Record<string, Partial<Record<ParameterFault['complaint'], Advice>>>> = {
	topic: {
		value: ({ serviceName }, _, value) =>
			`${serviceName} was sent as "${value}". If the service has another word for it, set Topic to Custom`,
	},
	source: {
		value: (_, { testSource }, value) =>
			value === testSource
				? `The test source was sent as "${value}". If the service has another name for it, enter that as Test Source ${IN_CREDENTIAL}`
				: undefined,
	},
	country: {
		value: ({ serviceName }, { countryCase }, value) => {
			const [otherCase, option] =
				countryCase === 'lower'
					? [value.toUpperCase(), 'Upper Case']
					: [value.toLowerCase(), 'Lower Case'];
			if (otherCase === value) return undefined;
			return `${serviceName} was sent as "${value}". If the service writes it ${otherCase}, set Country Case to ${option} ${IN_CREDENTIAL}. Countries are ISO codes, such as gb instead of uk`;
		},
	},
	key: {
		value: ({ serviceName }, _, value) =>
			`${serviceName} was sent as "${value}". If the service has another word for it, such as ean for gtin, enter that in Request Names ${IN_CREDENTIAL}, or set Look Up By to Custom`,
	},
	value: { form: adviseOnForm, missing: adviseOnForm, unknown: adviseOnForm },
	values: { form: adviseOnForm, missing: adviseOnForm, unknown: adviseOnForm },
	webhookUrlParameter: {
		unknown: ({ serviceName }) =>
			`${serviceName} was sent. Enter the service's name for it as Webhook URL Parameter ${IN_CREDENTIAL}`,
	},
	labelParameter: {
		unknown: ({ serviceName }) =>
			`${serviceName} was sent. Enter the service's name for it as Label Parameter ${IN_CREDENTIAL}, or leave that empty`,
	},
	pageParameter: {
		unknown: adviseOnPaging('Page Parameter'),
		value: ({ serviceName }, _, value) =>
			`${serviceName} was sent as "${value}". Set First Page and Pagination ${IN_CREDENTIAL} to match the service`,
	},
	pageSizeParameter: {
		unknown: adviseOnPaging('Page Size Parameter'),
		value: adviseOnPaging('Page Size Parameter'),
	},
	cursorParameter: { unknown: adviseOnPaging('Cursor Parameter') },
};

/** Advice on the settings that help against a refusal's faults; undefined if there is none. */
export function settingsFor(
	faults: readonly ParameterFault[],
	{ body, query }: RefusedRequest,
	connection: AdviceSettings,
): string | undefined {
	const sent = { ...query, ...body };
	const sentences = new Map<string, string>();
	for (const fault of faults) {
		const { isSent, serviceName, parameter, complaint } = fault;
		const general = {
			missing: adviseOnMissing,
			unknown: adviseOnUnknown,
			form: undefined,
			value: undefined,
		}[complaint];
		const advice = ADVICE[parameter]?.[complaint] ?? general;
		const text = advice?.(
			fault,
			connection,
			isTextOrNumber(sent[serviceName]) ? String(sent[serviceName]) : '',
		);
		// If the service did not read the body, one sentence covers all its parameters.
		const key = isSent && complaint === 'missing' ? complaint : serviceName;
		if (text !== undefined && !sentences.has(key)) sentences.set(key, text);
	}
	return sentences.size === 0 ? undefined : [...sentences.values()].join('. ');
}
