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

/** The description of a member that recordings, imports and questions have in common. */
export const LEG =
  'What tells this command of this job apart from all others of the build, and is the same in all tries, such as a hash. `POST /projects/{projectId}/last-failed` trusts a try only if the same leg has reported there';
