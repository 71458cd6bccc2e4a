/**
 * Records a report from the bucket. The queue may deliver the message about a report again, for example after a worker
 * was killed. Recording then continues after the last stored step.
 */
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import type { Caps } from '#shared/fair-shares/call-slots.ts';
import { type FairShare, runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import { type Import, type ImportKey, imports, parseImportKey } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import { makeObjectMessage, type ObjectCreated, type ObjectMessage } from '#shared/recording/artifact-wire.ts';
import type { ByteSource } from '#shared/reports/byte-source.ts';
import { LostReport } from '#shared/reports/errors.ts';
import type { Services } from '#shared/services.ts';
import { computeIdentity, computeProgress, derivePlannedFacts } from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { planImport } from './plan-import.ts';
import { readQuarantines } from './quarantine.ts';
import { makeStoredSource, parseImport } from './read-report.ts';
import { recordPlan } from './record-plan.ts';

interface ImportNote {
  readonly import: 'recorded' | 'refused' | 'not announced';
  readonly importId: string;
  readonly tests?: number;
  readonly reason?: string;
}

/** Recording takes minutes. Without a limit, reports of one organization would delay those of all others. */
export const REPORT_CAPS: Caps = { ...IMPORT_LIMITS.reports, work: 'reports' };

/** The id of the request that created the import. S3 does not know it. */
export async function findCauseOfReport(
  { table }: WithTable,
  { Records: [record] }: z.output<typeof ObjectCreated>,
): Promise<string | undefined> {
  const key = record && parseImportKey(record.s3.object.key);
  return key && (await table.get(imports, key))?.correlationId;
}

/** Records the reports that S3 announced. Returns log entries. */
export async function recordReports(
  services: Services & FairShare<ObjectMessage>,
  { Records, rounds }: z.output<typeof ObjectCreated>,
): Promise<object[]> {
  const notes: object[] = [];
  for (const { s3 } of Records) {
    const { key } = s3.object;
    const importKey = parseImportKey(key);
    if (!importKey) continue;
    const again = makeObjectMessage(key, rounds);
    notes.push(...(await runWithSlot(services, importKey, again, () => recordReport(services, importKey, key))));
  }
  return notes;
}

async function recordReport(services: Services, importKey: ImportKey, key: string): Promise<ImportNote[]> {
  const file = await services.artifacts.describe(key);
  // If the file does not exist, an earlier message about it has already been handled.
  if (!file) return [];
  const row = await services.table.get(imports, importKey, { consistent: true });
  const note = row ? await recordOrRefuse(services, row, makeStoredSource(services, key, file.bytes)) : undefined;
  // If another upload replaced the file in the meantime, the new file is kept, because it has its own message.
  const currentFile = await services.artifacts.describe(key);
  if (currentFile?.eTag === file.eTag) await services.artifacts.remove(key);
  return [note ?? { import: 'not announced', importId: importKey.importId }];
}

/** A refused report would be refused again, so it is not retried. After other errors, its message is queued again. */
async function recordOrRefuse(services: Services, row: Import, source: ByteSource): Promise<ImportNote> {
  const { importId } = row;
  try {
    return { import: 'recorded', importId, tests: await record(services, row, source) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await noteLostReport(services, row, error);
    await change(services, row, { state: 'refused', problem: error.message });
    return { import: 'refused', importId, reason: error.message };
  }
}

/** The other reports of the build are recorded already. Their run cannot pass without this one. */
async function noteLostReport(
  services: Services,
  { importId, options, ...row }: Import,
  error: ApiError,
): Promise<void> {
  const { ciBuildId, name = null, job } = options;
  if (!(error instanceof LostReport) || ciBuildId === undefined) return;
  const key = { organizationId: row.organizationId, runId: deriveRunId({ ...row, ciBuildId }) };
  const run = await services.table.get(runs, key, { consistent: true });
  const problem = { kind: 'unreadableFile' as const, file: name, message: error.reason };
  if (run) await noteProblems(services, run, { source: importId, problems: [problem], job });
}

async function record(services: Services, row: Import, source: ByteSource): Promise<number> {
  const content = await hashSource(source);
  const identifiedImport = { ...row, ...computeIdentity(row, content) };
  const parsedFiles = await parseImport(source, row.options, { now: row.createdAt });
  const plan = planImport(parsedFiles, identifiedImport, await readQuarantines(services, row));
  const isContinued = row.content === content && row.rules === plan.quarantine.rules && row.state === 'recording';
  const recordedBefore = isContinued ? row.progress.specs : 0;
  const progress = computeProgress(plan, recordedBefore);
  await change(services, row, { ...derivePlannedFacts(identifiedImport, plan), progress, state: 'recording' });
  const files = await recordPlan(services, identifiedImport, plan, {
    recorded: recordedBefore,
    onStep: (recordedSpecs) => change(services, row, { progress: computeProgress(plan, recordedSpecs) }),
  });
  await change(services, row, { state: 'recorded', files });
  return plan.tests;
}

async function hashSource(source: ByteSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source.stream()) hash.update(bytes);
  return hash.digest('hex');
}

async function change({ table, now }: Services, row: Import, members: Partial<Import>): Promise<void> {
  await table.update(imports, row, { set: [...toAssignments(members), ['changedAt', now()]] }, PRESENT);
}
