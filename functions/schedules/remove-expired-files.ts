import { removeExpiredFiles } from '#shared/lifecycle/remove-expired-files.ts';
import { dueFiles } from '#shared/model/due.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'removeExpiredFiles',
  expression: 'rate(5 minutes)',
  access: { table: 'readWrite', reads: [], writes: [artifacts, dueFiles, storedBytes], artifacts: 'delete' },
  summary: 'Deletes files whose retention has ended',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  handle: removeExpiredFiles,
});
