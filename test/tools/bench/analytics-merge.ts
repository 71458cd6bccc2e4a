/**
 * Merges the runs that `analytics-memory.ts` stored, in a separate process whose memory is measured, and prints the
 * number of merged runs. Arguments: the organization id, the project id, and the simulated time in milliseconds.
 */
import { argv } from 'node:process';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { makeServices } from '#shared/platform/connect.ts';

const [, , organizationId = '', projectId = '', at = ''] = argv;
const LEAF = 6 * 3_600_000;

const connected = makeServices();
await sweepAnalytics(
  { ...connected, now: () => Number(at) },
  {
    remainingMilliseconds: () => 600_000,
    onFailure: (error) => {
      throw error;
    },
  },
);
const last = Math.floor(Number(at) / LEAF);
const roots = await connected.table.queryAll(spanRoots, getRootsSpan({ organizationId, projectId }, last - 4, last));
console.log(JSON.stringify({ entries: roots.find(({ level }) => level === 0)?.entries ?? 0 }));
