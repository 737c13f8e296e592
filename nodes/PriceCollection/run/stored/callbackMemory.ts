import * as z from 'zod/v4-mini';

import { storedFormat, text } from './format';

/**
 * The jobs whose end a webhook trigger has handled, in the static data of its node. One text, a line each with the
 * latest last, because n8n watches every element of a list for changes.
 */
export const handledJobsFormat = storedFormat(
	'The memory of the webhook trigger',
	z.object({ jobIds: text }),
);
