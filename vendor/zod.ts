/** The parts of zod that the product uses. The build bundles them into one file. */
export { array, boolean, custom, int, number, object, optional, record, string } from 'zod/v4-mini';
export type { infer, ZodMiniType } from 'zod/v4-mini';
