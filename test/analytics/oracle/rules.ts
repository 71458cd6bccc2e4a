/** Calls the query functions of analytics in this process. This is faster than HTTP, and a test can interrupt them. */
import * as z from 'zod';
import { flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { insightsQuery } from '#shared/analytics/metrics/insights-wire.ts';
import { readErrors } from '#shared/analytics/metrics/read-errors.ts';
import { readInsights } from '#shared/analytics/metrics/read-insights.ts';
import { readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { readTests } from '#shared/analytics/metrics/read-tests.ts';
import { specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { type QuerySchema, readQuery } from '#shared/engine/http/query.ts';
import type { Services } from '#shared/services.ts';
import type { Ask, Parameters, Scope } from './asked.ts';

const SCHEMAS = {
  tests: z.object(testsQuery),
  specs: z.object(specFilesQuery),
  errors: z.object(errorsQuery),
  flaky: z.object(flakyTestsQuery),
  insights: z.object(insightsQuery),
} as const;

/** The values of a query string, before their schema checks them. */
function sentTo(schema: QuerySchema, parameters: Parameters): unknown {
  const sent = Object.entries(Object.groupBy(parameters, ([name]) => name));
  const lists = sent.map(([name, pairs = []]) => [name, pairs.map(([, value]) => value)] as const);
  return readQuery(schema, Object.fromEntries(lists)).values;
}

export function inProcess(services: Services, { organizationId, projectId }: Scope): Ask {
  const scope = { organizationId, projectId };
  return async (about, parameters) => {
    const sent = sentTo(SCHEMAS[about], parameters);
    switch (about) {
      case 'tests':
        return readTests(services, { ...scope, query: SCHEMAS.tests.parse(sent) });
      case 'specs':
        return readSpecFiles(services, { ...scope, query: SCHEMAS.specs.parse(sent) });
      case 'errors':
        return readErrors(services, { ...scope, query: SCHEMAS.errors.parse(sent) });
      case 'flaky':
        return listFlakyTests(services, { ...scope, query: SCHEMAS.flaky.parse(sent) });
      case 'insights':
        return readInsights(services, { ...scope, query: SCHEMAS.insights.parse(sent) });
    }
  };
}
