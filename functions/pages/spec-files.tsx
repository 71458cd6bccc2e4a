import * as z from 'zod';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { readSpecFile } from '#shared/analytics/metrics/read-spec-file.ts';
import { readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { SpecFilePage } from '#shared/pages/analytics/spec-file-page.tsx';
import { SpecFilesPage } from '#shared/pages/analytics/spec-files-page.tsx';
import { toNamedTest } from '#shared/pages/analytics/tests-page.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { readQuarantines } from '#shared/rules/quarantines.ts';

const { page: pageNumber, limit, dir } = testsQuery;

export const showSpecFiles = page({
  operationId: 'showSpecFiles',
  route: 'GET /{organizationId}/{projectId}/spec-files',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...specFilesQuery, ...LIST_RANGE }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const query = addDefaultPeriod(sentQuery, services.now());
    const [specs, isBehind] = await Promise.all([
      readSpecFiles(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    return {
      title: 'Spec files',
      isBehind,
      tab: 'Tests',
      breadcrumbs: [{ name: 'Tests', href: linkToProjectPage(visit, 'tests') }, { name: 'Spec files' }],
      body: <SpecFilesPage at={at} query={query} period={toShownPeriod(query)} specs={specs} now={services.now()} />,
    };
  },
});

export const showSpecFile = page({
  operationId: 'showSpecFile',
  route: 'GET /{organizationId}/{projectId}/spec-files/{specSignature}',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...rangeQuery,
    ...LIST_RANGE,
    page: pageNumber,
    limit,
    dir,
    order: TestOrder.default('failRateXSamples'),
  }),
  async show({ visit, caller, path: { specSignature }, query: sentQuery, at }, services) {
    const query = addDefaultPeriod(sentQuery, services.now());
    const [specFile, isBehind] = await Promise.all([
      readSpecFile(services, { ...caller, signature: specSignature, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    const quarantineOf = await readQuarantines(services, visit, specFile.tests.list.map(toNamedTest));
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
      body: (
        <SpecFilePage {...{ at, query, specFile, quarantineOf }} period={toShownPeriod(query)} now={services.now()} />
      ),
    };
  },
});
