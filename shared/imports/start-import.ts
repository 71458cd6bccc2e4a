/**
 * Imports a report from a request body: records a small report before the response is sent, and queues a larger one. A
 * request with an empty body may end the run of its build.
 */

import { notFound, refuse } from '#shared/engine/errors.ts';
import { findProject } from '#shared/find-project.ts';
import { releaseRun } from '#shared/lifecycle/complete-run.ts';
import { projectIsDeleted } from '#shared/lifecycle/errors.ts';
import { noteFailedJob } from '#shared/lifecycle/hold-run.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import { dryRunTooLarge } from '#shared/reports/errors.ts';
import type { Services } from '#shared/services.ts';
import { withoutForm } from './form-files.ts';
import {
  identified,
  newImport,
  plannedFacts,
  progressOf,
  queueImport,
  type SentReport,
  storeImport,
} from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { isQuick, lostProblems, planImport } from './plan-import.ts';
import type { ShownImport } from './present-import.ts';
import { parseIfSmall } from './read-report.ts';
import { recordPlan } from './record-plan.ts';
import { withTry } from './try-of-import.ts';

/**
 * Imports a report. The row of the import is written last, so that a killed request leaves no row. A retry then records
 * everything again.
 */
export async function startImport(services: Services, sentImport: SentReport): Promise<Import> {
  const report = await withoutForm(sentImport);
  const { deletesAt } = await findProject(services, report, { consistent: true });
  if (deletesAt !== undefined) throw projectIsDeleted(deletesAt);
  const sent = identified(await withTry(services, report));
  const parsed = await parseIfSmall(services, sent);
  const plan = parsed && planImport(parsed, sent);
  if (plan && isQuick(plan)) {
    const files = await recordPlan(services, sent, plan);
    const progress = progressOf(plan, plan.instances.length);
    return storeImport(services, sent, { ...plannedFacts(sent, plan), files, progress, state: 'recorded' });
  }
  return queueImport(services, sent, plan && plannedFacts(sent, plan));
}

/**
 * Returns what would be recorded for a small report. An empty body is refused here, because a dry run cannot end a run.
 */
export async function previewImport(services: Services, sentImport: SentReport): Promise<ShownImport> {
  const report = await withoutForm(sentImport);
  await findProject(services, report);
  const sent = identified(report);
  const parsed = (await parseIfSmall(services, sent)) ?? refuse(dryRunTooLarge(IMPORT_LIMITS.small));
  return { ...newImport(services, sent), ...plannedFacts(sent, planImport(parsed, sent)), state: 'read' };
}

type EndOfBuild = SentReport & { readonly options: { readonly ciBuildId: string } };

/** Whether the request has no report, and only says that the build is complete or that its job failed. */
export const endsBuild = (sent: SentReport): sent is EndOfBuild =>
  sent.file.length === 0 &&
  sent.options.ciBuildId !== undefined &&
  (sent.options.complete === true || sent.options.status === 'failed');

/** Ends the run of the build if `complete=true`. With `status=failed`, the run cannot pass. */
export async function endBuild(services: Services, request: EndOfBuild): Promise<Import> {
  await findProject(services, request);
  const sent = await withTry(services, request);
  const { complete, status, ciBuildId, job } = sent.options;
  const key = { organizationId: sent.organizationId, runId: deriveRunId({ ...sent, ciBuildId }) };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const { importId } = identified(sent);
  await noteProblems(services, run, { source: importId, problems: lostProblems(sent.options), job });
  if (status === 'failed') await noteFailedJob(services, run, job);
  if (complete) await releaseRun(services, run);
  return storeImport(services, identified(sent), { runId: run.runId, ciBuildId, state: 'recorded' });
}
