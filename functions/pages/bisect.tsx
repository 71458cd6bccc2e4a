import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { readTestContext } from '#shared/context/read-test.ts';
import { maskObjectWithin } from '#shared/masking/mask-object.ts';
import { id } from '#shared/model/names.ts';
import { DAY } from '#shared/pages/design/time-units.ts';
import { linkToTest } from '#shared/pages/shell/hrefs.ts';
import { STRIP_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { BisectPage, type ShownBreak } from '#shared/pages/tests/bisect-page.tsx';
import { listPictures } from '#shared/pages/tests/select-files.ts';
import { page } from '#shared/platform/page.ts';
import { type Break, findBreak, listSuspects } from '#shared/results/executions/find-break.ts';
import {
  type LatestExecutions,
  readLatestExecutions,
  type ShownExecution,
} from '#shared/results/executions/latest-executions.ts';
import { listTestFiles } from '#shared/results/instances/test-files.ts';
import { listRunsWithTotals } from '#shared/results/runs/list-runs.ts';
import { requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import type { Services } from '#shared/services.ts';

export const showBisect = page({
  operationId: 'showBisect',
  route: 'GET /{organizationId}/{projectId}/tests/{signature}/bisect',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ group_id: id.optional() }),
  async show({ visit, caller, path: { signature }, query }, services) {
    const history = await readLatestExecutions(services, { ...caller, signature, limit: STRIP_EXECUTIONS });
    const { executions } = history;
    for (const execution of executions) requireRunOfProject(execution, visit);
    const branch = visit.project.defaultBranchName;
    const executionsOnBranch = executions.filter(({ commit }) => commit.branch === branch);
    const groupIds = [...new Set(executionsOnBranch.map(({ groupId }) => groupId))].sort();
    const groupId =
      query.group_id ?? executionsOnBranch.find(({ status }) => status === 'failed')?.groupId ?? groupIds[0];
    const newestBreak = groupId === undefined ? undefined : findBreak(history, { branch, groupId });
    const title = executions[0]?.title ?? ['Test'];
    return {
      title: `What broke ${title.at(-1)}`,
      tab: may(visit.person, 'analytics:read') ? 'Tests' : 'Runs',
      breadcrumbs: [{ name: title.join(' › '), href: linkToTest(visit, signature) }, { name: 'What broke it' }],
      body: (
        <BisectPage
          {...{ visit, signature, title, groupId, groupIds }}
          spec={executions[0]?.spec}
          executions={executionsOnBranch.filter((one) => one.groupId === groupId)}
          shown={newestBreak && (await readShownBreak(services, caller, { ...newestBreak, executions, branch }))}
        />
      ),
    };
  },
});

/** Runs that are read to find those between the last pass and the first failure. */
const BISECTED_RUNS = 50;

async function readShownBreak(
  services: Services,
  caller: { readonly organizationId: string; readonly projectId: string },
  { executions, branch, ...newestBreak }: Break & Pick<LatestExecutions, 'executions'> & { readonly branch: string },
): Promise<ShownBreak> {
  const { lastGood, firstBad, mayBeEarlier } = newestBreak;
  const runs = listRunsWithTotals(services, {
    ...caller,
    query: {
      limit: BISECTED_RUNS,
      branches: [branch],
      tag_operator: 'AND',
      // Executions are dated when they end, and runs when they begin.
      date_start: Date.parse(lastGood?.createdAt ?? firstBad.createdAt) - DAY,
      date_end: Date.parse(firstBad.createdAt) + 1,
    },
  });
  const [{ data, has_more: hasMore }, goodSide, badSide] = await Promise.all([
    runs,
    lastGood && readSide(services, caller, lastGood),
    readSide(services, caller, firstBad),
  ]);
  return {
    lastGood: goodSide,
    firstBad: badSide,
    mayBeEarlier,
    suspects: listSuspects(newestBreak, data, executions),
    hasMore: hasMore && !data.some(({ runId }) => runId === lastGood?.runId) && lastGood !== undefined,
    remoteOrigin: data.find(({ runId }) => runId === firstBad.runId)?.meta.commit.remoteOrigin ?? null,
  };
}

async function readSide(
  services: Services,
  { organizationId }: { readonly organizationId: string },
  execution: ShownExecution,
) {
  const key = { organizationId, instanceId: execution.instanceId, testId: execution.testId };
  const [unmaskedContext, files] = await Promise.all([
    readTestContext(services, { ...key, attempt: undefined }, 'run'),
    listTestFiles(services, key),
  ]);
  const { shown: context } = maskObjectWithin(unmaskedContext, CONTEXT_LIMITS.maskedCharacters);
  return {
    execution,
    error: context.error,
    screenshot: listPictures(files).findLast(({ type }) => type === 'screenshot'),
  };
}
