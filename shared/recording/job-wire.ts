/** The CI job of a client of our own protocols. */
import * as z from 'zod';
import { findWebAddress } from '#shared/engine/web-address.ts';
import { sentText } from '#shared/model/names.ts';
import { LAST_TRY } from '#shared/model/runs/ci-job.ts';

/** The CI job of a client, and which try of the job it is. */
export const SentJob = z.object({
  name: sentText.optional().catch(undefined),
  attempt: z.int().min(0).max(LAST_TRY).optional().catch(undefined),
  id: sentText.optional().catch(undefined),
  build: sentText.optional().catch(undefined),
  url: z.string().optional().catch(undefined).transform(findWebAddress),
});
