/** §5.2 What responses say about an issue that is linked to a test. */
import * as z from 'zod';
import { ISSUE_STATES } from '#shared/model/issues/known-issue.ts';

export const IssueMark = z
  .object({
    issueId: z
      .string()
      .meta({ description: 'Id of the link between the test and the issue. Send it to unlink the issue' }),
    key: z.string().meta({ description: 'Key of the issue in its tracker, such as `SHOP-12` or `acme/shop#12`' }),
    url: z.string(),
    title: z.string(),
    state: z.enum(ISSUE_STATES),
    stateName: z.string().meta({ description: 'The state as the tracker calls it' }),
  })
  .meta({ id: 'IssueMark', description: 'An issue that is linked to this test' });
export type IssueMark = z.infer<typeof IssueMark>;
