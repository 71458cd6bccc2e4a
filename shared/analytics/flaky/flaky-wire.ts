/** `GET /flaky/{projectId}`: its query and its rows. */
import * as z from 'zod';
import { pageFormat } from '#shared/engine/http/csv.ts';
import { METRIC_LIMITS } from '../metrics/limits.ts';
import { offsetPageOf, pageQuery } from '../metrics/page-wire.ts';
import { FLAKY_LIMITS } from './limits.ts';
import { FLAKY_STATES } from './state.ts';

const { windowDays, recoveryDays, recoveredExecutions, flaky, brokenScore } = FLAKY_LIMITS;
const percent = (share: number): string => `${share * 100} %`;

const State = z.enum(FLAKY_STATES).meta({
  id: 'FlakyState',
  description: [
    `\`flaky\`: at least ${flaky.events} events, and a score of ${percent(flaky.score)} or more.`,
    '`suspected`: an event, but too little evidence.',
    `\`recovered\`: no event in ${recoveryDays} days and ${recoveredExecutions} executions.`,
    `\`broken\`: fails on the default branch in ${percent(brokenScore)} or more, without an event in ${recoveryDays} days.`,
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

const dateTime = z.string().meta({ format: 'date-time' });

const FlakyTestRow = z
  .object({
    signature: z.string(),
    spec: z.string(),
    title: z.array(z.string()),
    state: State,
    score: z.number().min(0).max(1).meta({ description: 'Lower bound of the rate of events, at 95 %' }),
    events: z.int().meta({ description: '`retried` and `flips` together' }),
    retried: z.int().meta({ description: 'Executions that failed and passed within a run' }),
    flips: z.int().meta({ description: 'Different results of runs of one commit, group and environment' }),
    executions: z.int().meta({ description: 'Executions that passed or failed' }),
    failures: z.int(),
    lastEventAt: dateTime.nullable().meta({ description: 'null if it is not among the latest executions' }),
  })
  .meta({ id: 'FlakyTestRow' });
export type FlakyTestRow = z.infer<typeof FlakyTestRow>;

export const FlakyTestsPage = z.object({
  ...offsetPageOf(FlakyTestRow),
  dateStart: dateTime.meta({ description: `Runs created since then count: the last ${windowDays} days, all branches` }),
  isWhole: z.boolean().meta({
    description: `false if more than ${FLAKY_LIMITS.comparedGroups} groups of runs repeated a commit. Only the newest are compared`,
  }),
});
