import * as z from 'zod';
import { formatActorName } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import {
  getRecordingMachinesSpan,
  type RecordingMachine,
  recordingMachines,
} from '#shared/model/runs/recording-machine.ts';
import { resetMachines } from '#shared/orchestration/reset-machines.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { getRunName, isMadeUpBuildId } from '#shared/pages/design/run-name.ts';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { linkToRun, linkToRunPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { sumGroups } from '#shared/pages/shell/run-totals.ts';
import { form, page } from '#shared/platform/page.ts';
import { type RunPlan, readPlanOfFiles } from '#shared/results/runs/live-counters.ts';
import { presentWholeRun, readRunRows } from '#shared/results/runs/read-run.ts';
import { findRunOfProject, requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import { buildTimeline } from '#shared/results/runs/timeline.ts';

/** Names what ends, because a cancelled run is never resumed. */
export const showCancelRun = page({
  operationId: 'showCancelRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/cancel',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId }, refused }, services) {
    const rows = await readRunRows(services, { organizationId: visit.organizationId, runId });
    const run = await presentWholeRun(services, rows, []);
    requireRunOfProject(run, visit);
    const now = services.now();
    const { ciBuildId } = run.meta;
    const { branch } = run.meta.commit;
    const name = getRunName(run);
    const [recorders, plan] = await Promise.all([
      services.table.queryAll(recordingMachines, getRecordingMachinesSpan(rows.run)),
      readPlanOfFiles(services, rows.run, rows.files),
    ]);
    return {
      title: `Cancel ${name}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name }, { name: 'Cancel' }),
      body: (
        <QuestionPage
          question={`Cancel the run ${name}?`}
          action={linkToRunPage(visit, runId, 'cancel')}
          refused={refused}
          yes="Cancel this run"
          no="Let it run"
          back={linkToRun(visit, runId)}
        >
          {!isMadeUpBuildId(ciBuildId) && `Build ${ciBuildId}${branch === null ? '' : ` of ${branch}`}. `}
          {run.completionState === 'IN_PROGRESS' ? (
            <>
              {describeProgress(run, { plan, recorders, now })} {describeStop(recorders)} The results so far stay, and
              those of tests that still end are added. This cannot be undone.
            </>
          ) : (
            'This run has ended, so there is nothing to cancel.'
          )}
        </QuestionPage>
      ),
    };
  },
});

interface Recording {
  readonly plan: RunPlan;
  readonly recorders: readonly RecordingMachine[];
  readonly now: number;
}

function describeProgress(run: z.infer<typeof WholeRun>, { plan, recorders, now }: Recording): string {
  const { completeSpecs, specs } = sumGroups(run);
  const names = [...recorders, ...buildTimeline(run, now).machines].map(({ machineId }) => machineId);
  const machines = new Set(names.filter((name) => name !== '')).size;
  const duration = formatDuration(now - Date.parse(run.createdAt));
  const beginning =
    machines === 0
      ? `It began ${duration} ago`
      : `${formatQuantity(machines, 'machine')} ${machines === 1 ? 'has' : 'have'} recorded it for ${duration}`;
  const total = plan.hasTests && specs > 0 ? specs : plan.files;
  if (total === undefined && completeSpecs === 0) return `${beginning}, and no spec file is complete yet.`;
  const files =
    total === undefined
      ? formatQuantity(completeSpecs, 'spec file')
      : `${formatCount(completeSpecs)} of ${formatQuantity(total, 'spec file')}`;
  return `${beginning}, and ${files} ${completeSpecs === 1 ? 'is' : 'are'} complete.`;
}

/** Machines of the published protocol ask for each spec file, or stop by themselves. */
function describeStop(recorders: readonly RecordingMachine[]): string {
  if (recorders.some(({ stopsIfCancelled, endedAt }) => !stopsIfCancelled && endedAt === undefined))
    return 'Its reporter cannot stop the tests, so end the job in your CI, too.';
  return recorders.length > 0 ? 'Its tests stop within about a minute.' : 'No spec file will be started.';
}

export const submitCancelRun = form({
  operationId: 'submitCancelRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/cancel',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  page: 'showCancelRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await cancelRun(services, { organizationId, runId, actor: formatActorName(visit.person) });
    return redirect(linkToRun(visit, runId));
  },
});

/** The machine is a query parameter, because its name may contain any character. */
export const showResetRun = page({
  operationId: 'showResetRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/reset',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ machine_id: id.optional() }),
  async show({ visit, path: { runId }, query, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    const sentMachineId = findSentValue(refused, 'submitResetRun', 'machineId');
    const machineId = query.machine_id ?? sentMachineId ?? refuse(notFound('Machine'));
    return {
      title: `Release ${machineId}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: ciBuildId }, { name: 'Release a machine' }),
      body: (
        <QuestionPage
          question={`Release the spec files of the machine ${machineId}?`}
          action={linkToRunPage(visit, runId, 'reset')}
          refused={refused}
          fields={{ machineId }}
          yes="Release its spec files"
          no="Keep them"
          back={linkToRun(visit, runId)}
        >
          Release the spec files of this machine only if it was interrupted. The results of its unfinished and failed
          spec files will be deleted. Other machines of the run can then record these spec files again.
        </QuestionPage>
      ),
    };
  },
});

/** §4.4.3 */
export const submitResetRun = form({
  operationId: 'submitResetRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/reset',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  fields: z.object({ machineId: id }),
  page: 'showResetRun',
  async submit({ visit, path: { runId }, fields: { machineId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    const reset = { organizationId, runId, machineIds: [machineId], which: 'all', actor: visit.person } as const;
    await resetMachines(services, reset);
    return redirect(linkToRun(visit, runId));
  },
});

export const showDeleteRun = page({
  operationId: 'showDeleteRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/delete',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId }, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    return {
      title: `Delete ${ciBuildId}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: ciBuildId }, { name: 'Delete' }),
      body: (
        <QuestionPage
          question={`Delete the run ${ciBuildId}?`}
          action={linkToRunPage(visit, runId, 'delete')}
          refused={refused}
          yes="Delete this run"
          back={linkToRun(visit, runId)}
        >
          The results, files and history of this run will be deleted. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});

export const submitDeleteRun = form({
  operationId: 'submitDeleteRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/delete',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  page: 'showDeleteRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await deleteRun(services, { organizationId, runId, actor: visit.person });
    return redirect(linkToRuns(visit));
  },
});
