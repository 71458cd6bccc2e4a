import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { factsParts } from '#shared/model/analytics/facts.ts';
import { analyticsNames } from '#shared/model/analytics/names.ts';
import { pendingRuns } from '#shared/model/analytics/pending.ts';
import { spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { dueAnalytics } from '#shared/model/due.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { runWords } from '#shared/model/runs/run-word.ts';
import { terms } from '#shared/model/runs/term.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'mergeAnalytics',
  expression: 'rate(1 minute)',
  access: {
    table: 'readWrite',
    reads: [instances, testRecords],
    writes: [analyticsNames, dueAnalytics, factsParts, pendingRuns, spanRoots, summaryParts, runWords, terms],
    artifacts: 'none',
  },
  summary: 'Merges ended runs into the aggregates of analytics',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: sweepAnalytics,
});
