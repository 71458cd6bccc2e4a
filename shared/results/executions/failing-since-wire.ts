/** Since when a test has been failing, as responses show it. */
import * as z from 'zod';

const nullable = z.string().nullable();

export const FailingSince = z
  .object({
    runId: z.string(),
    instanceId: z.string(),
    testId: z.string(),
    createdAt: z.string().meta({ format: 'date-time', description: 'Time of the first failure' }),
    sha: nullable.meta({ description: 'Commit of the first failure' }),
    title: nullable.meta({ description: 'Subject line of that commit' }),
    authorName: nullable,
    failures: z.int().meta({ description: 'Failures since then, without a pass between them' }),
    mayBeEarlier: z
      .boolean()
      .meta({ description: 'The test may have failed before: earlier executions were not read' }),
  })
  .meta({
    id: 'FailingSince',
    description: 'The first failure of a test on the default branch since it last passed there, in the same group',
  });
export type FailingSince = z.infer<typeof FailingSince>;
