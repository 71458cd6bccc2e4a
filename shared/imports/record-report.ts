/**
 * Records a report from the bucket. The queue may deliver the message about a report again, for example after a worker
 * was killed. Recording then continues after the last stored step.
 */
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { ApiError } from '#shared/engine/errors.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import type { Caps } from '#shared/fair-shares/call-slots.ts';
import { type FairShare, runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import { type Import, type ImportKey, imports, parseImportKey } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import { type ObjectCreated, type ObjectMessage, objectCreated } from '#shared/recording/artifact-wire.ts';
import type { ByteSource } from '#shared/reports/byte-source.ts';
import { LostReport } from '#shared/reports/errors.ts';
import type { Services } from '#shared/services.ts';
import { identityOf, plannedFacts, progressOf } from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { planImport } from './plan-import.ts';
import { parseImport, storedSource } from './read-report.ts';
import { recordPlan } from './record-plan.ts';

interface ImportNote {
  readonly import: 'recorded' | 'refused' | 'not announced';
  readonly importId: string;
  readonly tests?: number;
  readonly reason?: string;
}

/**
 * Recording a large report takes minutes. Without a limit, reports of one organization would delay those of all others.
 */
export const REPORT_CAPS: Caps = { ...IMPORT_LIMITS.reports, work: 'reports' };

/** Records the reports that S3 announced. Returns log entries. */
export async function recordReports(
  services: Services & FairShare<ObjectMessage>,
  { Records, rounds }: z.output<typeof ObjectCreated>,
): Promise<object[]> {
  const notes: object[] = [];
  for (const { s3 } of Records) {
    const { key } = s3.object;
    const named = parseImportKey(key);
    if (!named) continue;
    const again = objectCreated(key, rounds);
    notes.push(...(await runWithSlot(services, named, again, () => recordReport(services, named, key))));
  }
  return notes;
}

async function recordReport(services: Services, of: ImportKey, key: string): Promise<ImportNote[]> {
  const file = await services.artifacts.describe(key);
  // If the file does not exist, an earlier message about it has already been handled.
  if (!file) return [];
  const known = await services.table.get(imports, of, { consistent: true });
  const note = known ? await recordOrRefuse(services, known, storedSource(services, key, file.bytes)) : undefined;
  // If another upload replaced the file in the meantime, the new file is kept, because it has its own message.
  const latest = await services.artifacts.describe(key);
  if (latest?.eTag === file.eTag) await services.artifacts.remove(key);
  return [note ?? { import: 'not announced', importId: of.importId }];
}

/**
 * A refused report is not retried, because the same file would be refused again. After any other error, the message
 * returns to the queue.
 */
async function recordOrRefuse(services: Services, known: Import, source: ByteSource): Promise<ImportNote> {
  const { importId } = known;
  try {
    return { import: 'recorded', importId, tests: await record(services, known, source) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await noteLostReport(services, known, error);
    await change(services, known, { state: 'refused', problem: error.message });
    return { import: 'refused', importId, reason: error.message };
  }
}

/** The other reports of the build are recorded already. Their run cannot pass without this one. */
async function noteLostReport(
  services: Services,
  { importId, options, ...of }: Import,
  error: ApiError,
): Promise<void> {
  const { ciBuildId, name = null, job } = options;
  if (!(error instanceof LostReport) || ciBuildId === undefined) return;
  const key = { organizationId: of.organizationId, runId: deriveRunId({ ...of, ciBuildId }) };
  const run = await services.table.get(runs, key, { consistent: true });
  const problem = { kind: 'unreadableFile' as const, file: name, message: error.reason };
  if (run) await noteProblems(services, run, { source: importId, problems: [problem], job });
}

async function record(services: Services, known: Import, source: ByteSource): Promise<number> {
  const content = await digestOf(source);
  const sent = { ...known, ...identityOf(known, content) };
  const recorded = known.content === content && known.state === 'recording' ? known.progress.specs : 0;
  const plan = planImport(await parseImport(source, known.options, { now: known.createdAt }), sent);
  const progress = progressOf(plan, recorded);
  await change(services, known, { ...plannedFacts(sent, plan), progress, state: 'recording' });
  const files = await recordPlan(services, sent, plan, {
    recorded,
    onStep: (done) => change(services, known, { progress: progressOf(plan, done) }),
  });
  await change(services, known, { state: 'recorded', files });
  return plan.tests;
}

async function digestOf(source: ByteSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of source.stream()) hash.update(bytes);
  return hash.digest('hex');
}

async function change({ table, now }: Services, known: Import, members: Partial<Import>): Promise<void> {
  await table.update(imports, known, { set: [...toAssignments(members), ['changedAt', now()]] }, PRESENT);
}
