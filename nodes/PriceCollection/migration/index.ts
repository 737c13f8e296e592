/** The migration's public functions. The rest of the node imports only these from this folder. */
export { convertParameters } from './parameters';
export { convertWorkflow } from './workflow';
