import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import { defineConfig, globalIgnores } from 'eslint/config';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const off = (...names) => Object.fromEntries(names.map((name) => [`n8n-nodes-base/${name}`, 'off']));

/**
 * What n8n's scanner finds is found here first: its two plugins with the same five rules of
 * nodes-base off that its own configuration switches off. typescript-eslint comes on top, for
 * everything that is written in TypeScript.
 */
export default defineConfig(
	globalIgnores([
		'dist',
		'**/node_modules',
		'test/install/n8n',
		'test/install/linter',
		'release',
		'.cache',
	]),
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts', 'package.json'],
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': nodesBase },
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
		linterOptions: { noInlineConfig: true },
		rules: { 'no-console': 'error' },
	},
	{ files: ['package.json'], rules: nodesBase.configs.community.rules },
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials.rules,
			...off(
				'cred-class-field-documentation-url-miscased',
				'cred-class-field-type-options-password-missing',
			),
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes.rules,
			...off(
				'node-class-description-inputs-wrong-regular-node',
				'node-class-description-outputs-wrong',
				'node-param-type-options-max-value-present',
			),
		},
	},
	{
		files: ['nodes/**/*.ts'],
		ignores: ['nodes/PriceCollection/service/http/decode/body.ts'],
		rules: {
			'no-restricted-globals': [
				'error',
				{
					name: 'TextDecoder',
					message: 'It differs from Node to Node: see encodingOf in service/http/decode/body.ts.',
				},
			],
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			'no-restricted-properties': [
				'error',
				{
					object: 'Date',
					property: 'parse',
					message: 'It takes almost any text for a time: see service/time.ts.',
				},
			],
		},
	},
	{
		// Outside text meets these patterns: none may take more than a time that grows with its length.
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts', 'test/**/*.ts', 'benchmarks/**/*.ts'],
		extends: [tseslint.configs.recommended],
		rules: {
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-non-null-assertion': 'error',
		},
	},
	{
		files: ['test/**/*.ts', 'benchmarks/**/*.ts'],
		rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
	},
);
