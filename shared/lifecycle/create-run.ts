/** §3 A run begins: its record, the pointers that lead to it and the time at which it may time out are one transaction. */
import { refuse, runExpired } from '../errors.ts';
import { optimistically } from '../optimistic.ts';
import { dueRuns } from '../resources/due.ts';
import { deletions, type Run, runs, runsOfGithubBuild, runsOfProject } from '../resources/run.ts';
import type { Services } from '../services.ts';
import { ABSENT, check, put } from '../table/writes.ts';
import { INITIAL } from './states.ts';

/** What a caller knows of a run; the rest is the same for all that begin. */
export type Beginning = Omit<
  Run,
  | keyof typeof INITIAL
  | 'groupTags'
  | 'environments'
  | 'suites'
  | 'groupsStarted'
  | 'instancesExpected'
  | 'instancesComplete'
  | 'dueAt'
  | 'version'
>;

/** The run of this build: the one that another machine began, where it was faster. */
export async function createRun({ table, now }: Services, beginning: Beginning): Promise<Run> {
  const run: Run = {
    ...beginning,
    ...INITIAL,
    groupTags: [],
    environments: [],
    suites: {},
    groupsStarted: 0,
    instancesExpected: 0,
    instancesComplete: 0,
    dueAt: beginning.createdAt + beginning.inactivityTimeoutSeconds * 1000,
    version: 0,
  };
  const { github } = run;
  const notDeleted = { any: [{ absent: 'pk' }, { path: 'expiresAt', atMost: Math.floor(now() / 1000) }] };
  const writes = [
    put(runs, run, ABSENT),
    put(runsOfProject, run),
    put(dueRuns, run),
    ...(github ? [put(runsOfGithubBuild, { ...run, github })] : []),
    // A machine that still runs must not bring back what somebody deleted.
    check(deletions, run, notDeleted),
  ];
  let begun: Run | undefined;
  await optimistically('start of a run', async () => {
    begun = (await table.transact(writes)) ? run : await table.get(runs, run, { consistent: true });
    if (begun) return true;
    const deletion = await table.get(deletions, run, { consistent: true });
    if (deletion && deletion.expiresAt > now() / 1000) throw runExpired();
    // Two at the same moment may both be refused: neither has begun it then.
    return false;
  });
  return begun ?? refuse(runExpired());
}
