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
import { unpackForm } from './form-files.ts';
import {
  buildImport,
  computeProgress,
  derivePlannedFacts,
  identifyReport,
  queueImport,
  type SentReport,
  storeImport,
} from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { isQuick, listLostFileProblems, planImport } from './plan-import.ts';
import type { ShownImport } from './present-import.ts';
import { readQuarantines } from './quarantine.ts';
import { parseIfSmall } from './read-report.ts';
import { recordPlan } from './record-plan.ts';
import { resolveTry } from './try-of-import.ts';

/** The row is written last, so that a killed request leaves no row. A retry then records everything again. */
export async function startImport(services: Services, sentImport: SentReport): Promise<Import> {
  const report = await unpackForm(sentImport);
  const { deletesAt } = await findProject(services, report, { consistent: true });
  if (deletesAt !== undefined) throw projectIsDeleted(deletesAt);
  const identifiedReport = identifyReport(await resolveTry(services, report));
  const parsedFiles = await parseIfSmall(services, identifiedReport);
  const quarantines = await readQuarantines(services, identifiedReport);
  const plan = parsedFiles && planImport(parsedFiles, identifiedReport, quarantines);
  if (plan && isQuick(plan)) {
    const files = await recordPlan(services, identifiedReport, plan);
    const progress = computeProgress(plan, plan.instances.length);
    return storeImport(services, identifiedReport, {
      ...derivePlannedFacts(identifiedReport, plan),
      files,
      progress,
      state: 'recorded',
    });
  }
  return queueImport(services, identifiedReport, plan && derivePlannedFacts(identifiedReport, plan));
}

/** What would be recorded for a small report. An empty body is refused, because a dry run cannot end a run. */
export async function previewImport(services: Services, sentImport: SentReport): Promise<ShownImport> {
  const report = await unpackForm(sentImport);
  await findProject(services, report);
  const identifiedReport = identifyReport(report);
  const parsedFiles = (await parseIfSmall(services, identifiedReport)) ?? refuse(dryRunTooLarge(IMPORT_LIMITS.small));
  const plan = planImport(parsedFiles, identifiedReport, await readQuarantines(services, identifiedReport));
  return {
    ...buildImport(services, identifiedReport),
    ...derivePlannedFacts(identifiedReport, plan),
    state: 'read',
  };
}

type EndOfBuild = SentReport & { readonly options: { readonly ciBuildId: string } };

/** Whether the request has no report, and only says that the build is complete or that its job failed. */
export const isEndOfBuild = (report: SentReport): report is EndOfBuild =>
  report.file.length === 0 &&
  report.options.ciBuildId !== undefined &&
  (report.options.complete === true || report.options.status === 'failed');

/** Ends the run of the build if `complete=true`. With `status=failed`, the run cannot pass. */
export async function endBuild(services: Services, request: EndOfBuild): Promise<Import> {
  await findProject(services, request);
  const requestOfTry = await resolveTry(services, request);
  const { complete, status, ciBuildId, job } = requestOfTry.options;
  const key = { organizationId: requestOfTry.organizationId, runId: deriveRunId({ ...requestOfTry, ciBuildId }) };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const { importId } = identifyReport(requestOfTry);
  await noteProblems(services, run, { source: importId, problems: listLostFileProblems(requestOfTry.options), job });
  if (status === 'failed') await noteFailedJob(services, run, job);
  if (complete) await releaseRun(services, run);
  return storeImport(services, identifyReport(requestOfTry), { runId: run.runId, ciBuildId, state: 'recorded' });
}
