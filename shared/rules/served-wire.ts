/** §4.4.11 Rules as the fixtures of the published reporter expect them. */
import * as z from 'zod';

/** Dates of a matcher are in epoch milliseconds, because the reporter compares them with a `Date`. */
export const ServedRules = z.object({
  rules: z.array(
    z.object({
      _id: z.string(),
      v: z.int(),
      name: z.string(),
      action: z.array(z.looseObject({ op: z.string() })),
      matcher: z.object({ op: z.string(), cond: z.array(z.looseObject({ type: z.string(), op: z.string() })) }),
      createdAt: z.string().meta({ format: 'date-time' }),
    }),
  ),
});
