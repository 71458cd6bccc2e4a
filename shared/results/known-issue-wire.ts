/** §5.2 What responses say about an issue that people linked to a test. */
import * as z from 'zod';
import { ISSUE_STATES } from '#shared/model/tests/known-issue.ts';

export const IssueMark = z
  .object({
    issueId: z.string().meta({ description: 'Id of the link between test and issue. Unlinking takes it' }),
    key: z.string().meta({ description: 'Name of the issue in its tracker: `SHOP-12`, `acme/shop#12`' }),
    url: z.string(),
    title: z.string(),
    state: z.enum(ISSUE_STATES),
    stateName: z.string().meta({ description: 'The state as the tracker calls it' }),
  })
  .meta({ id: 'IssueMark', description: 'An issue that people linked to this test' });
export type IssueMark = z.infer<typeof IssueMark>;
