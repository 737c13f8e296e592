import { createCredential } from '../e2e/harness/e2e';
import { Editor, expectSoon } from './editor';
import { LOOKS } from './pictures';

/** What the interface contract lists for `customizeService`. */
const CUSTOMIZED = [
	'allowInsecureHttp',
	'requestBody',
	'formatSelection',
	'lookupValues',
	'testSource',
	'webhookUrlParameter',
	'legacyBaseUrl',
];

/** n8n adds it to every credential that HTTP Request can use. */
const HOSTS = 'allowedHttpRequestDomains';

describe.each(LOOKS)('the credential, $theme and $size', (look) => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open(look);
	});

	afterAll(async () => await editor?.close());

	it('is refused with a wrong key, with what to do', async () => {
		const { id } = await createCredential({ apiKey: 'wrong' });
		await editor.openCredential(id);
		await editor.page.getByText(/^Couldn.t connect with these settings/).waitFor();
		await editor.page.getByText('More details').click();
		const sentence =
			'The service did not accept the key. Check the key, and how it is sent (Authentication)';
		await editor.page.getByText(sentence).waitFor();
		await editor.picture('credential-refused');
	});

	it('passes with the right key', async () => {
		const { id } = await createCredential();
		await editor.openCredential(id);
		await editor.page.getByText('Connection tested successfully').waitFor();
		await editor.picture('credential-accepted');
	});

	describe('shows the fields', () => {
		const fields = async () => {
			const form = '[data-test-id="credential-connection-parameter"] > div > div[data-test-id]';
			return await editor.page
				.locator(form)
				.evaluateAll((all: Array<{ dataset: { testId: string } }>) =>
					all.map(({ dataset }) => dataset.testId),
				);
		};
		const authentication = async (choice: string) => {
			await editor.page.getByTestId('parameter-input-authentication').click();
			await editor.page.getByRole('option', { name: choice }).click();
		};

		it.each([
			['Basic', ['username', 'password']],
			['Bearer Token', ['apiKey']],
			['Header', ['headerName', 'apiKey']],
			['Query Parameter', ['parameterName', 'apiKey']],
		])('of %s', async (choice, needed) => {
			await authentication(choice);
			const all = ['baseUrl', 'authentication', ...needed, 'webhookSecret', 'customizeService'];
			await expectSoon(fields, [...all, HOSTS]);
		});

		it('of Customize Service, and of a secret that is changed', async () => {
			const dialog = editor.page.getByTestId('editCredential-modal');
			await dialog.getByTestId('parameter-input-customizeService').locator('.el-switch').click();
			await dialog.getByTestId('parameter-input-webhookSecret').locator('input').fill('secret');
			const above = ['baseUrl', 'authentication', 'parameterName', 'apiKey'];
			const secrets = ['webhookSecret', 'previousWebhookSecret'];
			await expectSoon(fields, [...above, ...secrets, 'customizeService', ...CUSTOMIZED, HOSTS]);
			await dialog.getByTestId('parameter-input-legacyBaseUrl').scrollIntoViewIfNeeded();
			await editor.picture('credential-customized');
		});
	});
});
