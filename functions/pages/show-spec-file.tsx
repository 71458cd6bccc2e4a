import * as z from 'zod';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { readSpecFile } from '#shared/analytics/metrics/read-spec-file.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { SpecFilePage } from '#shared/pages/analytics/spec-file-page.tsx';
import { projectPageHref } from '#shared/pages/shell/hrefs.ts';
import { LIST_RANGE, periodOfList, withPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';

const { page: number, limit, dir } = testsQuery;

export const handler = page({
  operationId: 'showSpecFile',
  route: 'GET /{organizationId}/{projectId}/spec-files/{specSignature}',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...rangeQuery,
    ...LIST_RANGE,
    page: number,
    limit,
    dir,
    order: TestOrder.default('failRateXSamples'),
  }),
  async show({ visit, caller, path: { specSignature }, query: sent, at }, services) {
    const query = withPeriod(sent, services.now());
    const [found, isBehind] = await Promise.all([
      readSpecFile(services, { ...caller, signature: specSignature, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    const name = found.file.spec;
    return {
      title: name,
      isBehind,
      tab: 'Tests',
      breadcrumbs: [
        { name: 'Tests', href: projectPageHref(visit, 'tests') },
        { name: 'Spec files', href: projectPageHref(visit, 'spec-files') },
        { name },
      ],
      body: <SpecFilePage at={at} query={query} period={periodOfList(query)} found={found} now={services.now()} />,
    };
  },
});
