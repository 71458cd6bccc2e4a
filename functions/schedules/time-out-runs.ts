import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { schedule } from '#shared/schedule.ts';

export const handler = schedule({
  name: 'timeOutRuns',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Ends the runs to which nothing was reported for as long as their project allows',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['timedOut', 'failed', 'lateSeconds'],
  handle: (services, run) => timeOutRuns(services, run),
});
