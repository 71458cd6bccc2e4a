/** The schemas of the query parameters and of the response rows of `GET /flaky/{projectId}`. */
import * as z from 'zod';
import { pageFormat } from '#shared/engine/http/csv.ts';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { METRIC_LIMITS } from '../metrics/limits.ts';
import { offsetPageOf, pageQuery } from '../metrics/page-wire.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { FLAKY_STATES } from './state.ts';

const { windowDays, recoveryDays, recoveredExecutions, flaky, brokenScore } = FLAKY_LIMITS;
const formatPercent = (share: number): string => `${share * 100} %`;

const State = z.enum(FLAKY_STATES).meta({
  description: [
    `\`flaky\`: at least ${flaky.events} events, and a score of ${formatPercent(flaky.score)} or more.`,
    '`suspected`: at least one event, but too little evidence.',
    `\`recovered\`: no event in the last ${recoveryDays} days, and at least ${recoveredExecutions} executions in them.`,
    `\`broken\`: fails in ${formatPercent(brokenScore)} or more of its executions on the default branch (lower bound), with no event in the last ${recoveryDays} days.`,
  ].join(' '),
});

export const flakyTestsQuery = {
  ...pageQuery(METRIC_LIMITS.page),
  format: pageFormat(),
  state: z
    .array(State)
    .min(1)
    .default(['flaky', 'suspected'])
    .meta({ description: 'Only tests in any of these states' }),
};
export type FlakyTestsQuery = z.output<z.ZodObject<typeof flakyTestsQuery>>;

const FlakyTestRow = z
  .object({
    signature: z.string(),
    spec: z.string(),
    title: z.array(z.string()),
    state: State,
    score: z.number().min(0).max(1).meta({ description: 'Lower bound of events per execution, at 95 % confidence' }),
    events: z.int().meta({ description: 'Sum of `retried` and `flips`' }),
    retried: z.int().meta({ description: 'Executions that both failed and passed within a run' }),
    flips: z
      .int()
      .meta({ description: 'Results that deviate from those of other runs of the same commit, group and environment' }),
    executions: z.int().meta({ description: 'Executions that passed or failed' }),
    failures: z.int(),
    lastEventAt: dateTime.nullable().meta({ description: 'Null if the last event is too far back to be looked up' }),
  })
  .meta({ id: 'FlakyTestRow' });
export type FlakyTestRow = z.infer<typeof FlakyTestRow>;

export const FlakyTestsPage = z.object({
  ...offsetPageOf(FlakyTestRow),
  dateStart: dateTime.meta({
    description: `Start of the window of ${windowDays} days. Runs created since then count, on all branches`,
  }),
  isWhole: z.boolean().meta({
    description: `False if more than ${FLAKY_LIMITS.comparedGroups} groups of runs repeated a commit, so that only the newest were compared`,
  }),
});
