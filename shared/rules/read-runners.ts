/** §4.4.11 What the runs of a project show about whether its suite reads rules. Only a matched test proves that it does. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { affectedTests, getAffectedTestsSpan } from '#shared/model/rules/affected-test.ts';
import { getRunsSpan, PLAYWRIGHT, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { WithClock } from '#shared/services.ts';
import { listRules } from './find-rule.ts';
import { RULE_LIMITS } from './limits.ts';

export interface Runners {
  /** `imported` and `otherFramework` are about the newest run. */
  readonly state: 'noRuns' | 'applied' | 'imported' | 'otherFramework' | 'notApplied';
  /** When a run last applied a rule, in epoch milliseconds. */
  readonly appliedAt: number | undefined;
  /** When the newest run began, in epoch milliseconds. */
  readonly newestRunAt: number | undefined;
  readonly framework: string | undefined;
}

/** `unknown`: the client of the run did not name its framework. */
const FRAMEWORKS_WITH_RULES: ReadonlySet<string> = new Set([PLAYWRIGHT, 'vitest', 'unknown']);

/** Costs a query per rule. Of many rules, only the newest ones count. */
export async function readRunners(
  services: WithClock,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
): Promise<Runners> {
  const { table, now } = services;
  const project = { organizationId, projectId };
  const [allRules, newestRuns] = await Promise.all([
    listRules(services, { ...project, status: ['active', 'disabled', 'expired'] }),
    table.query(runsOfProject, getRunsSpan(project), { limit: 1, newestFirst: true }),
  ]);
  const newestRun = newestRuns.rows[0]?.item;
  const [matchTimes, run] = await Promise.all([
    mapConcurrently(allRules.slice(0, RULE_LIMITS.rulesOfRunners), async ({ actionId }) => {
      const span = getAffectedTestsSpan({ ...project, actionId }, 0, now() + 1);
      const { rows } = await table.query(affectedTests, span, { limit: 1, newestFirst: true });
      return rows[0]?.item.recordedAt ?? 0;
    }),
    newestRun && table.get(runs, newestRun),
  ]);
  const appliedAt = Math.max(0, ...matchTimes) || undefined;
  const facts = { appliedAt, newestRunAt: newestRun?.createdAt, framework: run?.framework.type };
  if (appliedAt !== undefined) return { ...facts, state: 'applied' };
  if (!run) return { ...facts, state: 'noRuns' };
  if (run.imported) return { ...facts, state: 'imported' };
  return { ...facts, state: FRAMEWORKS_WITH_RULES.has(run.framework.type) ? 'notApplied' : 'otherFramework' };
}
