/** The public functions of the migration. Other code imports nothing else from this directory. */
export { convertParameters } from './parameters';
export { convertWorkflow } from './workflow';
