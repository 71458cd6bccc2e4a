/** Finds the run of a CI build or the latest complete run of a branch or tags, and its failed tests for a re-run. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { makeRowReader, planReads } from '#shared/engine/http/page-source.ts';
import { readPage } from '#shared/engine/http/pagination.ts';
import { findProject } from '#shared/find-project.ts';
import { deriveRunId, isMadeTestId } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { hasFailed, instances } from '#shared/model/results/instance.ts';
import { getRunMembersSpan, getRunsSpan, PLAYWRIGHT, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { readTries } from '../builds/tries-of-build.ts';
import type { RunsFilter } from '../filter-wire.ts';
import { loadInstance } from '../instances/load-instance.ts';
import type { FindRunQuery, FoundRun, LastRun } from './find-run-wire.ts';
import { selectRuns } from './list-runs.ts';
import { applyLiveCounters } from './live-counters.ts';
import { readRun } from './read-run.ts';

export async function findRun(
  services: Services,
  { organizationId, query }: { organizationId: string; query: FindRunQuery },
): Promise<z.infer<typeof FoundRun>> {
  const { projectId, pwLastRun, ciBuildId, branch, tags } = query;
  if (ciBuildId === undefined && branch === undefined && tags === undefined)
    throw invalidRequest('The request names no run. Send `ciBuildId`, or `branch` and/or `tags[]`');
  await findProject(services, { organizationId, projectId });
  const run = (await locateRun(services, organizationId, query)) ?? refuse(notFound('Run'));
  const wholeRun = await readRun(services, run);
  if (!pwLastRun || run.framework.type !== PLAYWRIGHT) return wholeRun;
  return { ...wholeRun, pwLastRun: await buildLastRun(services, run) };
}

export async function locateRun(
  services: Services,
  organizationId: string,
  query: Pick<FindRunQuery, 'projectId' | 'ciBuildId' | 'branch' | 'tags'>,
): Promise<Run | undefined> {
  const { projectId, ciBuildId, branch, tags } = query;
  if (ciBuildId !== undefined) {
    const runId = deriveRunId({ organizationId, projectId, ciBuildId });
    const run = await services.table.get(runs, { organizationId, runId });
    // A build id that people chose stands for all tries of the build, of which the newest shows the merged view.
    return run?.tryOf?.build === ciBuildId ? (await readTries(services, run)).tries.at(-1) : run;
  }
  const filter: RunsFilter = {
    tag_operator: 'AND',
    completion_state: ['COMPLETE'],
    branches: branch === undefined ? undefined : [branch],
    tags,
  };
  const source = {
    span: getRunsSpan({ organizationId, projectId }),
    reads: planReads(1, { isFiltered: true, most: LATEST_READ_ROWS }),
    read: makeRowReader(services.table, runsOfProject),
    select: (rows: readonly RunKey[]) => selectRuns(services, rows, filter),
  };
  const { items } = await readPage(source, 1, { direction: 'older', after: undefined });
  return items[0]?.item;
}

const LATEST_READ_ROWS = 25;

/**
 * `undefined` if Rundown made up the id of a failed test: Playwright does not know it and would silently skip the test,
 * so the re-run could pass without running it. Reads only the details of instances with failures.
 */
async function buildLastRun(services: Services, run: Run): Promise<z.infer<typeof LastRun> | undefined> {
  const files = await services.table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'));
  const all = await applyLiveCounters(services, run, files);
  const failedFiles = all.filter(hasFailed);
  const loadedInstances = await mapConcurrently(failedFiles, (instance) => loadInstance(services, instance));
  const tests = loadedInstances.flatMap((instance) => instance?.details.tests ?? []);
  const failedTests = tests.filter(({ outcome }) => outcome === 'failed').map(({ testId }) => testId);
  if (failedTests.some(isMadeTestId)) return undefined;
  return { status: failedFiles.length > 0 ? 'failed' : 'passed', failedTests };
}
