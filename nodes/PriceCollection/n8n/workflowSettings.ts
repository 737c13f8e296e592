import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

/** The settings of the workflow; empty in an n8n that does not tell them (most of 1.x, and 2.0). */
export function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings {
	return context.getWorkflowSettings?.() ?? {};
}
