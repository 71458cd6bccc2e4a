/** Writes items of paginated lists directly to the table. */
import { put } from '#shared/engine/table/writes.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { webhooks } from '#shared/model/events/webhook.ts';
import { type ProjectRecord, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { affectedTests } from '#shared/model/rules/affected-test.ts';
import { rules } from '#shared/model/rules/rule.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { terms } from '#shared/model/runs/term.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { START, type Tenant, type TestService } from '#test/harness/service.ts';
import { deliveryItem, webhookItem } from './sample-webhooks.ts';

export type Stage = TestService & Tenant;

/** An item of a list. Its id is derived from its number. Most items have the same timestamp as other items. */
export interface Item {
  readonly number: number;
  readonly createdAt: number;
  readonly isFailed: boolean;
}

type Fill = (stage: Stage, items: readonly Item[]) => Promise<void>;

export const storeProjects: Fill = async ({ services, organizationId }, items) => {
  const records = items.map(
    ({ number, createdAt }): ProjectRecord => ({
      organizationId,
      projectId: runIdOf(number),
      name: `Project ${number}`,
      createdAt,
      inactivityTimeoutSeconds: 1800,
      failFast: false,
      defaultBranchName: 'main',
    }),
  );
  await services.table.writeMany(
    records.flatMap((record) => [put(projects, record), put(projectsOfOrganization, record)]),
  );
};

export const storeFewRuns: Fill = ({ services, ...owner }, items) =>
  storeRuns(
    services,
    items.map(({ number, createdAt, isFailed }) =>
      runItem(owner, { runId: runIdOf(number), createdAt, status: isFailed ? 'FAILED' : 'PASSED' }),
    ),
  );

export const HOOK = '7d3c1c0a-3f6e-4b57-9d1e-0a6d5b1f2c33';

/**
 * Stores webhook deliveries. Items with `isFailed` become deliveries that have expired but that the table has not
 * deleted yet.
 */
export const storeDeliveries: Fill = async ({ services, organizationId, projectId }, items) => {
  const hook = { organizationId, projectId, hookId: HOOK };
  await services.table.put(webhooks, webhookItem(hook));
  const rows = items.map(({ isFailed, ...item }) =>
    deliveryItem(hook, { ...item, ...(isFailed ? { expiresAt: START.getTime() / 1000 } : {}) }),
  );
  await services.table.writeMany(rows.map((row) => put(deliveries, row)));
};

/** Stores pull requests, each with a run of its own. */
export const storePullRequests: Fill = async ({ services, ...owner }, items) => {
  const all = items.map(({ number, createdAt, isFailed }) =>
    runItem(owner, {
      runId: runIdOf(number),
      createdAt,
      status: isFailed ? 'FAILED' : 'PASSED',
      pullRequest: { id: String(number), title: null },
    }),
  );
  const pointers = all.map((run, index) => ({
    ...run,
    pullRequestId: String(items[index]?.number),
    expiresAt: undefined,
  }));
  await storeRuns(services, all);
  await services.table.writeMany(pointers.flatMap((run) => [put(runsOfPullRequest, run), put(pullRequestRuns, run)]));
};

export const storeTerms: Fill = ({ services, organizationId, projectId }, items) =>
  services.table.writeMany(
    items.map(({ number, createdAt: lastUsedAt }) => {
      const term = { organizationId, projectId, termType: 'tag', value: runIdOf(number) } as const;
      return put(terms, { ...term, lastUsedAt, expiresAt: START.getTime() });
    }),
  );

/** The id of the rule whose executions are listed. */
export const ruleOf = (projectId: string): string => `${projectId}${'0'.repeat(18)}`;

/** Stores the executions that a rule matched. Items with `isFailed` become executions on the branch `main`. */
export const storeAffectedTests: Fill = async ({ services, organizationId, projectId }, items) => {
  const of = { organizationId, projectId, actionId: ruleOf(projectId) };
  const rule = { v: 1, name: 'r', description: null, action: [], matcher: { op: 'AND' as const, cond: [] } };
  await services.table.put(rules, { ...of, ...rule, createdAt: 0, createdBy: 'api:CI', expiresAfter: null });
  const rows = items.map(({ number, createdAt: recordedAt, isFailed }) =>
    put(affectedTests, {
      ...of,
      recordedAt,
      recordId: runIdOf(number).padEnd(44, '0'),
      types: ['tag'],
      signature: 's',
      spec: 'a.spec.ts',
      title: ['a'],
      testId: 't',
      groupId: 'g',
      branch: isFailed ? 'main' : 'topic',
      outcome: 'passed',
      flaky: false,
      expiresAt: undefined,
    }),
  );
  await services.table.writeMany(rows);
};
