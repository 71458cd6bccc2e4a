/** Builds the rows that analytics metrics are computed from, with defaults for what a test does not set. */

import * as z from 'zod';
import type { TestsOptions } from '#shared/analytics/metrics/list-tests.ts';
import { testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type {
  Occurrence,
  PerOutcome,
  RunGroupFacts,
  SeriesTotals,
  SpecTotals,
  Totals,
} from '#shared/analytics/read-model.ts';
import { countTests } from '#shared/model/results/outcomes.ts';

const per = (some: Partial<PerOutcome>): PerOutcome => ({ passed: 0, failed: 0, pending: 0, skipped: 0, ...some });

export const totals = (some: { readonly [Name in keyof Totals]?: Partial<PerOutcome> }): Totals => ({
  executions: per(some.executions ?? {}),
  flaky: per(some.flaky ?? {}),
  milliseconds: per(some.milliseconds ?? {}),
  timed: per(some.timed ?? {}),
});

const DAY = '2026-11-02T00:00:00.000Z';

export const series = (title: string, more: Partial<SeriesTotals> = {}): SeriesTotals => ({
  signature: `signature of ${title}`,
  specFile: 'cart.spec.ts',
  title: title.split(' > '),
  tags: [],
  annotations: [],
  totals: totals({ executions: { passed: 1 } }),
  lastSeen: Date.parse(DAY),
  ...more,
});

export const specTotals = (specFile: string, more: Partial<SpecTotals> = {}): SpecTotals => ({
  specFile,
  executions: 1,
  failed: 0,
  flaky: 0,
  fullyReported: 1,
  timedOut: 0,
  milliseconds: 0,
  timed: 0,
  millisecondsWithoutFailed: 0,
  timedWithoutFailed: 0,
  suiteSize: 1,
  typicalMilliseconds: undefined,
  ...more,
});

export const occurrence = (message: string, more: Partial<Occurrence> = {}): Occurrence => ({
  signature: 'signature',
  title: ['sums'],
  specFile: 'cart.spec.ts',
  message,
  target: null,
  action: null,
  category: null,
  branch: null,
  runId: 'run',
  createdAt: Date.parse(DAY),
  ...more,
});

export const runGroup = (runId: string, more: Partial<RunGroupFacts> = {}): RunGroupFacts => ({
  runId,
  groupId: 'retail',
  createdAt: Date.parse(DAY),
  endedAt: Date.parse(DAY) + 60_000,
  branch: null,
  authorName: null,
  authorEmail: null,
  sha: null,
  environment: null,
  tags: [],
  completionState: 'COMPLETE',
  status: 'PASSED',
  counters: countTests([]),
  ...more,
});

const { spec, title, order, dir, min_executions, test_state, metric_settings, annotations } = testsQuery;
const Options = z.object({ spec, title, order, dir, min_executions, test_state, metric_settings, annotations });

/** Parses query parameters into the options of a list of tests. */
export const testsOptions = (sent: z.input<typeof Options> = {}): TestsOptions => Options.parse(sent);
