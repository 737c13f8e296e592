import { ICredentialsHelper } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	ICredentials,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';

export type CredentialTypes = Record<string, ICredentialType>;
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

/** Hands out plain credential data and applies the class's real `authenticate`, generic or function. */
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
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		// n8n's own helper makes the same assumption: only the deprecated request() sends the other shape.
		const options = request as IHttpRequestOptions;
		const how = this.types[typeName]?.authenticate;
		if (typeof how === 'function') return await how(credentials, options);
		if (!how || !workflow || !node) return options;
		const resolve = (value: unknown) =>
			typeof value === 'string'
				? workflow.expression.getSimpleParameterValue(node, value, 'internal', {
						$credentials: credentials,
					})
				: value;
		const parts = Object.entries(how.properties).map(([part, values]) => [
			part,
			{
				...((options as unknown as Record<string, object | undefined>)[part] ?? {}),
				...Object.fromEntries(
					Object.entries(values ?? {}).map(([name, value]) => [name, resolve(value)]),
				),
			},
		]);
		return { ...options, ...Object.fromEntries(parts) };
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

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Not used by nodes');
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getParentTypes(): string[] {
		return [];
	}

	getCredentialsProperties(): [] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}
}
