import { ICredentialsHelper } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export type CredentialTypes = Record<string, ICredentialType>;
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

const unused = async () => await Promise.reject<never>(new Error('Not used by nodes'));
const nothing = async () => undefined;

/** Hands out plain credential data and applies the class's own function `authenticate`. */
export class TestCredentials extends ICredentialsHelper {
	constructor(
		private readonly types: CredentialTypes,
		private readonly data: CredentialData,
	) {
		super();
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		request: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const how = this.types[typeName]?.authenticate;
		if (typeof how !== 'function') throw new Error(`${typeName} has no function authenticate`);
		// n8n's own helper makes the same assumption: only the deprecated request() sends the other shape.
		return await how(credentials, request as IHttpRequestOptions);
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_details: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const found = this.data[type];
		if (!found) throw new Error(`The scenario has no credential of type ${type}`);
		return structuredClone(found);
	}

	getCredentials = unused;
	preAuthentication = nothing;
	runPreAuthentication = nothing;
	updateCredentials = nothing;
	updateCredentialsOauthTokenData = nothing;
	getParentTypes = () => [];
	getCredentialsProperties = () => [];
	isCredentialUsableByNode = () => true;
}
