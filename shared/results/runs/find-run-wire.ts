/** The query and the response of the search for a run. */
import * as z from 'zod';
import { aliases } from '#shared/engine/http/query.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { RecordedBranchFilter } from '../branch-filter.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { WholeRun } from './run-wire.ts';

const text = z.string().min(1).max(MODEL_LIMITS.idCharacters);

export const findRunQuery = {
  projectId: text.meta({ description: 'Id of a project' }),
  ciBuildId: text
    .optional()
    .meta({ description: 'Exact CI build id of the run. Takes precedence over `branch` and `tags[]`' }),
  branch: RecordedBranchFilter.optional().meta({ description: 'Branch name, or a prefix with a trailing `*`' }),
  tags: z
    .array(text)
    .max(RESULT_LIMITS.filterValues)
    .optional()
    .meta({ description: 'All of these tags' })
    .register(aliases, { deprecated: ['tag'] }),
  pwLastRun: z.boolean().default(false).meta({
    description:
      'Add `pwLastRun`, the content of Playwright’s `.last-run.json`. It is left out for other frameworks, and if a failed test was imported from a format without Playwright’s ids, such as JUnit',
  }),
};

export type FindRunQuery = z.output<z.ZodObject<typeof findRunQuery>>;

export const LastRun = z
  .object({ status: z.enum(['passed', 'failed']), failedTests: z.array(z.string()) })
  .meta({ id: 'LastRun' });

export const FoundRun = WholeRun.extend({ pwLastRun: LastRun.optional() }).meta({ id: 'FoundRun' });
