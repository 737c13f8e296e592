/** The door of the migration: one function for a workflow, one for parameters alone. Nothing else is imported from here. */
export { convertParameters } from './parameters';
export { convertWorkflow } from './workflow';
