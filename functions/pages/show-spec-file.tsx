import * as z from 'zod';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { readSpecFile } from '#shared/analytics/metrics/read-spec-file.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { SpecFilePage } from '#shared/pages/analytics/spec-file-page.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
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
  async show({ visit, caller, path: { specSignature }, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [specFile, isBehind] = await Promise.all([
      readSpecFile(services, { ...caller, signature: specSignature, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    const name = specFile.file.spec;
    return {
      title: name,
      isBehind,
      tab: 'Tests',
      breadcrumbs: [
        { name: 'Tests', href: linkToProjectPage(visit, 'tests') },
        { name: 'Spec files', href: linkToProjectPage(visit, 'spec-files') },
        { name },
      ],
      body: <SpecFilePage at={at} query={query} period={toShownPeriod(query)} found={specFile} now={services.now()} />,
    };
  },
});
