/** The XML reader, which the build bundles into one file. */
export { SaxesParser } from 'saxes';
