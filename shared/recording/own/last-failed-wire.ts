/** The request and the response about the tests that a later try of a build has to run again. */
import * as z from 'zod';
import { sentId, sentText } from '#shared/model/names.ts';
import { LEG, SentJob } from '#shared/recording/job-wire.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';

export const LastFailedBody = z.object({
  ciBuildId: sentText.meta({ description: 'The id of the CI build, as recordings send it' }),
  job: SentJob.nullish().catch(null),
  try: z.int().min(1).max(RECORDING_LIMITS.lastTry).nullish().catch(null).meta({
    description: 'The number of this try, if a job repeats its tests itself',
  }),
  part: sentId.nullish().meta({
    description:
      'What a recording sent as `part`. The response then names the tests of this part by `key`. Without it, those of the job and of the group, by their names. If jobs of a matrix may have the same part, none may be sent',
  }),
  leg: sentId.nullish().meta({ description: `${LEG}. Without it and without \`part\`, everything has to run` }),
  process: sentId.nullish().meta({
    description: 'A random value. If several processes ask for the same leg or part of one try, everything has to run',
  }),
  group: sentId.nullish().meta({
    description:
      'The group of the job, if it has one. Without `part`, group and name of a job, the response names the tests of the whole run',
  }),
});
export type LastFailedBody = z.output<typeof LastFailedBody>;

export const TestsToRepeat = z.object({
  repeat: z.enum(['everything', 'tests', 'nothing']).meta({
    description:
      '`nothing` and `tests` only if the try before this one is complete, without errors outside tests, and has what this very leg reported. `nothing` also requires that each of its tests ran',
  }),
  reason: z.string().nullable().meta({ description: 'Why everything has to run. Else `null`' }),
  run: z.object({ runId: z.string(), runUrl: z.string() }).nullable().meta({ description: 'The try before this one' }),
  tests: z
    .array(
      z.object({
        key: z.string().meta({ description: 'The first 16 hex digits of the SHA-256 of group, spec file and test' }),
        groupId: z.string().optional(),
        spec: z.string().optional(),
        title: z.array(z.string()).optional(),
      }),
    )
    .meta({ description: 'Those that failed or did not run' }),
});
