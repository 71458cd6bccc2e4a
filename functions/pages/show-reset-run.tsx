import * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { id } from '#shared/model/names.ts';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject } from '#shared/results/run-of-project.ts';

/** The machine is a query parameter, because its name may contain any character. */
export const handler = page({
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
