/** The answer to the exchange of an identity token, and the origin of a run. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { OriginWire } from '#shared/results/runs/origin-wire.ts';

export const NewCredential = z
  .object({
    credential: z.string().meta({ description: 'Send it as `Authorization: Bearer <credential>` to record the build' }),
    expiresAt: dateTime,
    ciBuildId: z.string().meta({ description: 'The only build that the credential records' }),
    origin: OriginWire,
  })
  .meta({ id: 'BuildCredential' });
