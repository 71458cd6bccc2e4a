/** Imports a report from a request body. Reports that take too long for a request go to the queue. */
import { ApiError, notFound, refuse } from '#shared/engine/errors.ts';
import { dryRunTooLarge } from '#shared/engine/report-errors.ts';
import { noteImport, releaseRun } from '#shared/lifecycle/hold-run.ts';
import { runIdOf } from '#shared/model/ids.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { withoutForm } from './form-report.ts';
import { importIdOf, importKeyOf, plannedFacts, progressOf } from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { type ImportPlan, planImport } from './plan-import.ts';
import type { ShownImport } from './present-import.ts';
import { findProject, queueImport, type SentReport, storeImport, unstored } from './queue-import.ts';
import { recordPlan } from './record-plan.ts';
import { contentHash, sourceOf } from './sources.ts';

const TRAILER_BYTES = 4;

/** Whether a request has the time to parse the report. For gzip, the trailer gives the decompressed size. */
function isSmall(file: Uint8Array): boolean {
  if (startsWith(file, [0x1f, 0x8b])) return inflatedBytes(file) <= IMPORT_LIMITS.small.bytes;
  return startsWith(file, [0x50, 0x4b])
    ? file.length <= IMPORT_LIMITS.smallZipBytes
    : file.length <= IMPORT_LIMITS.small.bytes;
}

const startsWith = (file: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, index) => file[index] === byte);

const inflatedBytes = (file: Uint8Array): number =>
  file.length < TRAILER_BYTES
    ? 0
    : new DataView(file.buffer, file.byteOffset, file.length).getUint32(file.length - TRAILER_BYTES, true);

interface NewImport extends SentReport {
  readonly dryRun: boolean;
}

export async function startImport(services: Services, sentImport: NewImport): Promise<ShownImport> {
  const asked = await withoutForm(sentImport);
  const { file, dryRun, options } = asked;
  const { ciBuildId, complete, status } = options;
  if (file.length === 0 && ciBuildId && (complete || status === 'failed'))
    return changeBuild(services, asked, ciBuildId);
  await findProject(services, asked);
  const plan = await planIfSmall(services, asked);
  if (!plan) return dryRun ? refuse(dryRunTooLarge(IMPORT_LIMITS.small)) : queueImport(services, asked);
  const sent = { ...asked, content: contentHash(file) };
  const progress = progressOf(plan, 0);
  if (dryRun) return { ...unstored(services, sent), ...plannedFacts(sent, plan), progress, state: 'read' };
  if (!isQuick(plan)) return queueImport(services, asked, { ...plannedFacts(sent, plan), progress });
  return recordNow(services, sent, plan);
}

/**
 * Returns `undefined` if the report needs more time or memory than a request has. Only the queue then finds out whether
 * it is a report at all.
 */
async function planIfSmall({ now }: Services, { file, options }: NewImport): Promise<ImportPlan | undefined> {
  if (!isSmall(file)) return undefined;
  try {
    return await planImport(sourceOf(file), options, { now: now(), most: IMPORT_LIMITS.small });
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === TOO_LARGE) return undefined;
    throw error;
  }
}
const TOO_LARGE = 413;

const isQuick = ({ tests, attachments }: ImportPlan): boolean =>
  tests <= IMPORT_LIMITS.testsAtOnce &&
  attachments.length <= IMPORT_LIMITS.attachmentsAtOnce &&
  attachments.reduce((sum, { size }) => sum + size, 0) <= IMPORT_LIMITS.attachmentBytesAtOnce;

/** Writes the row of the import last. A killed request leaves no import, and a retry records everything again. */
async function recordNow(services: Services, sent: NewImport & { readonly content: string }, plan: ImportPlan) {
  const facts = plannedFacts(sent, plan);
  const { ciBuildId } = facts;
  const recording = { ...sent, importId: importIdOf(sent), plan, ciBuildId, requestKey: importKeyOf(sent) };
  const files = await recordPlan(services, recording, { recorded: 0, onStep: async () => {} });
  const progress = progressOf(plan, plan.instances.length);
  return storeImport(services, sent, { ...facts, files, progress, state: 'recorded' });
}

/** An empty request with `complete=true` ends the run of the build. With `status=failed` the run cannot pass. */
async function changeBuild(services: Services, asked: NewImport, ciBuildId: string): Promise<Import> {
  await findProject(services, asked);
  const { organizationId, projectId } = asked;
  const key = { organizationId, runId: runIdOf({ organizationId, projectId, ciBuildId }) };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const sent = { ...asked, content: contentHash(asked.file) };
  const { importId = importIdOf(sent) } = run;
  if (asked.options.status === 'failed') await noteImport(services, run, { importId, jobFailed: true });
  if (asked.options.complete) await releaseRun(services, key);
  return storeImport(services, sent, { runId: key.runId, ciBuildId, state: 'recorded' });
}
