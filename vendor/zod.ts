/** What the product uses of zod, which the build bundles into one file. */
export { array, boolean, custom, int, number, object, optional, record, string } from 'zod/v4-mini';
export type { infer, ZodMiniType } from 'zod/v4-mini';
