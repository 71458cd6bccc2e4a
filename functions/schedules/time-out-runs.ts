import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'timeOutRuns',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Times out runs that reported nothing within the inactivity timeout of their project',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['timedOut', 'failed', 'lateSeconds'],
  handle: timeOutRuns,
});
