/** §4.4.3 The response format of a deletion. */
import * as z from 'zod';

export const DeletedRun = z.object({ runId: z.string(), actor: z.string() }).meta({ id: 'DeletedRun' });
