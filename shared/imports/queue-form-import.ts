/** Queues a report that a person uploaded with a form, and records the upload in the audit log. */
import type { Person } from '#shared/access/actor.ts';
import { put } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { type Import, imports } from '#shared/model/runs/import.ts';
import { change } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { buildAuditRecord, identifyReport, queueImport, type SentReport } from './import-row.ts';

export async function queueFormImport(services: Services, report: SentReport, actor: Person): Promise<Import> {
  const project = await findProjectInUse(services, report);
  return queueImport(services, identifyReport(report), {}, (_, row) =>
    change(services, { actor, action: 'runs:write' }, () => ({
      result: row,
      writes: [put(imports, row)],
      inProject: row,
      record: buildAuditRecord('report uploaded', row, project),
    })),
  );
}
