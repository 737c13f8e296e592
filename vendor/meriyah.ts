/** The JavaScript parser of the migration, which the build bundles into one file. */
export { parseScript } from 'meriyah';
export type { ESTree, Options } from 'meriyah';
