import { finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { schedule } from '#shared/schedule.ts';

export const handler = schedule({
  name: 'finishDeletions',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary: 'Removes what deleted runs left behind',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: (services, run) => finishDeletions(services, run),
});
