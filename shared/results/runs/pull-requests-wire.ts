/** §4.4.8 `GET /projects/{projectId}/pull-requests`: its query and its items. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { runsFilterQuery } from '../filter-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { RunFeedItem } from './run-wire.ts';

const { branches, tags, tag_operator, environments, status, completion_state, pr_id } = runsFilterQuery;
const { minimum, maximum, default: byDefault } = RESULT_LIMITS.runsOfPullRequest;

export const pullRequestsQuery = {
  runs_per_pr: z
    .int()
    .min(minimum)
    .max(maximum)
    .default(byDefault)
    .meta({ description: 'Runs to show per pull request, newest first' }),
  search: z
    .string()
    .min(1)
    .max(RESULT_LIMITS.searchCharacters)
    .optional()
    .meta({ description: 'Pull requests with this text in their number or title, ignoring case' }),
  pr_id: pr_id.meta({ description: 'Only the pull request with this number' }),
  include_total: z
    .boolean()
    .default(false)
    .meta({
      description: `Whether to count all matching pull requests, up to ${RESULT_LIMITS.countedPullRequests}. This reads them all`,
    }),
  order: z.enum(['lastRunAt']).default('lastRunAt').meta({ description: 'By the creation of the newest run' }),
  dir: z.enum(['asc', 'desc']).default('desc').meta({ description: 'Direction of the order' }),
  branches,
  tags,
  tag_operator,
  environments,
  status,
  completion_state,
  authors: runsFilterQuery.authors.meta({
    description: 'Any of these git authors, by name or email. `*` stands for any characters',
  }),
};

export type PullRequestsFilter = Omit<
  z.output<z.ZodObject<typeof pullRequestsQuery>>,
  'runs_per_pr' | 'order' | 'include_total'
>;

export const TOTAL = z
  .int()
  .optional()
  .meta({
    description: `Only with \`include_total\`: the number of matching pull requests. ${RESULT_LIMITS.countedPullRequests} means ${RESULT_LIMITS.countedPullRequests} or more`,
  });

export const PullRequestWire = z
  .object({
    id: z.string(),
    title: z.string().nullable().meta({ description: 'Title in the newest run' }),
    lastRunAt: dateTime,
    runs: z.array(RunFeedItem),
  })
  .meta({ id: 'PullRequest' });
export type PullRequestWire = z.infer<typeof PullRequestWire>;
