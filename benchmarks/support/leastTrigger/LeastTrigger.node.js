'use strict';

/** The practical floor: a webhook trigger that only passes on what it receives. */
class LeastTrigger {
	description = {
		displayName: 'Least Trigger',
		name: 'leastTrigger',
		group: ['trigger'],
		version: 1,
		description: 'Hands on what it got',
		defaults: { name: 'Least Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'least' }],
		properties: [],
	};

	webhookMethods = {
		default: { checkExists: async () => true, create: async () => true, delete: async () => true },
	};

	async webhook() {
		return { workflowData: [[{ json: this.getBodyData() }]] };
	}
}

exports.LeastTrigger = LeastTrigger;
