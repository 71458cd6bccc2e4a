import { finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'finishDeletions',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'delete' },
  summary:
    'Deletes the remaining rows and files of deleted runs, and the remaining files of runs whose files were deleted',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: finishDeletions,
});
