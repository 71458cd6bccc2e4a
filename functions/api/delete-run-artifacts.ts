import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { deleteArtifacts } from '#shared/lifecycle/delete-artifacts.ts';
import { DeletedRun } from '#shared/lifecycle/delete-wire.ts';
import { dueDeletions } from '#shared/model/due.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { runs } from '#shared/model/runs/run.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'deleteRunArtifacts',
  route: 'DELETE /runs/{runId}/artifacts',
  permission: 'runs:write',
  access: {
    table: 'readWrite',
    writes: [runs, artifacts, shownFiles, dueDeletions, auditRecords, storedBytes],
    artifacts: 'delete',
  },
  summary: 'Delete the files of a run, and keep its results',
  description:
    'Deletes screenshots, videos, traces, attachments and output files. Files that arrive later are dropped. If the run has many files, it takes some minutes until all of them are deleted.',
  response: single(DeletedRun),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await deleteArtifacts(services, { ...caller, ...path }));
  },
});
