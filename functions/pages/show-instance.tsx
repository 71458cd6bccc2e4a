import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { PAGE_ROWS } from '#shared/pages/shell/limits.ts';
import { InstancePage } from '#shared/pages/tests/instance-page.tsx';
import { page } from '#shared/platform/page.ts';
import { loadInstance } from '#shared/results/load-instance.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';

export const handler = page({
  operationId: 'showInstance',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ page: z.int().min(0).max(MODEL_LIMITS.testsPerSpec).default(0) }),
  async show({ visit, caller, path: { instanceId }, query }, services) {
    const { details, artifacts } =
      (await loadInstance(services, { ...caller, instanceId })) ?? refuse(notFound('Instance'));
    requireRunOfProject(details, visit);
    const { spec, runId } = details.instance;
    const stdout = artifacts.find(({ type }) => type === 'stdout');
    return {
      title: spec,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: 'Run' }, { name: spec }),
      body: <InstancePage visit={visit} details={details} stdout={stdout} page={query.page} rows={PAGE_ROWS} />,
    };
  },
});
