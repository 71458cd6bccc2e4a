/** A project, with everything that a random history can do to the project. */
import { OPERATOR } from '#shared/access/actor.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type DueIndex, dueAnalytics, dueRuns } from '#shared/model/due.ts';
import { FOREVER } from '#shared/model/runs/retention.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import type { Services } from '#shared/services.ts';
import { directTable } from '#test/harness/direct-table.ts';
import { knowingKeys } from '#test/harness/known-keys.ts';
import type { TestService } from '#test/harness/service.ts';
import { type Ask, type Scope, throughHttp } from './asked.ts';
import { overHttp, type Recorder, TIME, throughRules } from './recorder.ts';
import { inProcess } from './rules.ts';

export interface Site {
  readonly scope: Scope;
  readonly services: Services;
  readonly recorder: Recorder;
  readonly ask: Ask;
  /** Does the maintenance of the read model that is due. */
  readonly sweep: () => Promise<unknown>;
  /** Removes all scheduled maintenance and all timeouts of runs, so that later sweeps do not process them. */
  readonly leave: () => Promise<void>;
}

/** Creates a project that is used through the HTTP API. */
export async function siteOverHttp(stage: TestService): Promise<Site> {
  const tenant = { ...stage, ...(await stage.tenant()) };
  return {
    scope: tenant,
    services: stage.services,
    recorder: overHttp(tenant),
    ask: throughHttp(tenant),
    sweep: () => stage.runSchedule('mergeAnalytics'),
    leave: () => leave(stage.services),
  };
}

/** The same services on the same database, with a faster connection that remembers which keys exist. */
export function cheaply({ services, environment }: TestService): Cheap {
  const { table, forget } = knowingKeys(directTable(environment));
  return { services: { ...services, table }, forget };
}

export interface Cheap {
  readonly services: Services;
  readonly forget: () => void;
}

/**
 * Creates a project that is used by calling the domain functions in this process. This is faster than HTTP, but
 * thousands of histories still take minutes. Only one such project may exist at a time.
 */
export async function siteInProcess({ services, forget }: Cheap): Promise<Site> {
  const { organizationId } = await createOrganization(services, { name: 'Acme', actor: OPERATOR });
  const about = { organizationId, name: 'Shop', actor: OPERATOR, retention: FOREVER };
  const { projectId } = await createProject(services, about);
  const scope = { organizationId, projectId };
  return {
    scope,
    services,
    recorder: throughRules(services, scope),
    ask: inProcess(services, scope),
    sweep: () => sweepAnalytics(services, TIME),
    leave: async () => {
      await leave(services);
      forget();
    },
  };
}

const FAR = Date.parse('2999-01-01T00:00:00Z');

async function leave({ table }: Services): Promise<void> {
  const all = async <Row extends { dueAt: number; organizationId: string }>(index: DueIndex<Row>) => {
    for (let shard = 0; shard < index.shards; shard += 1) {
      const rows = await table.queryAll(index, index.span(shard, FAR), { consistent: true });
      await table.writeMany(rows.map((row) => remove(index, row)));
    }
  };
  await all(dueAnalytics);
  await all(dueRuns);
}
