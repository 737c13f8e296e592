import * as z from 'zod/v4-mini';

import { storedFormat, text } from './format';
import { requestEntry } from './requestRecord';

/**
 * The questions that agents have asked a tool, by their identity, in the static data of its node: n8n saves it with the
 * workflow at the end of every production execution.
 */
export const questionsFormat = storedFormat(
	'The memory of this tool',
	z.object({ questions: z.record(text, requestEntry) }),
);
