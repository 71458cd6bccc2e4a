/** Imports a report from a request body. Reports that take too long for a request go to the queue. */
import { ApiError, notFound, refuse } from '#shared/engine/errors.ts';
import { noteImport, releaseRun } from '#shared/lifecycle/hold-run.ts';
import { runIdOf } from '#shared/model/ids.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import { dryRunTooLarge } from '#shared/reports/errors.ts';
import type { Services } from '#shared/services.ts';
import { withoutForm } from './form-report.ts';
import { importIdOf, importKeyOf, plannedFacts, progressOf } from './import-row.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { type ImportPlan, planImport } from './plan-import.ts';
import type { ShownImport } from './present-import.ts';
import {
  findProject,
  hashed,
  queueImport,
  type SentReport,
  storeImport,
  type UnhashedReport,
  unstored,
} from './queue-import.ts';
import { recordPlan } from './record-plan.ts';
import { sourceOf } from './sources.ts';

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

/** Records a small report before the answer. The queue records a larger one. An empty one may end the run of its build. */
export async function startImport(services: Services, sentImport: UnhashedReport): Promise<Import> {
  const sent = hashed(await withoutForm(sentImport));
  await findProject(services, sent);
  if (endsBuild(sent)) return changeBuild(services, sent, sent.options.ciBuildId);
  const plan = await planIfSmall(services, sent);
  return plan && isQuick(plan)
    ? recordNow(services, sent, plan)
    : queueImport(services, sent, plan && { ...plannedFacts(sent, plan), progress: progressOf(plan, 0) });
}

/** What a small report would record. A dry run changes nothing, so an empty one is refused as no report. */
export async function previewImport(services: Services, sentImport: UnhashedReport): Promise<ShownImport> {
  const sent = hashed(await withoutForm(sentImport));
  await findProject(services, sent);
  const plan = (await planIfSmall(services, sent)) ?? refuse(dryRunTooLarge(IMPORT_LIMITS.small));
  return { ...unstored(services, sent), ...plannedFacts(sent, plan), progress: progressOf(plan, 0), state: 'read' };
}

type EndOfBuild = SentReport & { readonly options: { readonly ciBuildId: string } };

const endsBuild = (sent: SentReport): sent is EndOfBuild =>
  sent.file.length === 0 &&
  sent.options.ciBuildId !== undefined &&
  (sent.options.complete === true || sent.options.status === 'failed');

/**
 * Returns `undefined` if the report needs more time or memory than a request has. Only the queue then finds out whether
 * it is a report at all.
 */
async function planIfSmall({ now }: Services, { file, options }: SentReport): Promise<ImportPlan | undefined> {
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
async function recordNow(services: Services, sent: SentReport, plan: ImportPlan) {
  const facts = plannedFacts(sent, plan);
  const { ciBuildId } = facts;
  const recording = { ...sent, importId: importIdOf(sent), plan, ciBuildId, requestKey: importKeyOf(sent) };
  const files = await recordPlan(services, recording, { recorded: 0, onStep: async () => {} });
  const progress = progressOf(plan, plan.instances.length);
  return storeImport(services, sent, { ...facts, files, progress, state: 'recorded' });
}

/** An empty request with `complete=true` ends the run of the build. With `status=failed` the run cannot pass. */
async function changeBuild(services: Services, sent: SentReport, ciBuildId: string): Promise<Import> {
  const { organizationId, projectId, options } = sent;
  const key = { organizationId, runId: runIdOf({ organizationId, projectId, ciBuildId }) };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const { importId = importIdOf(sent) } = run;
  if (options.status === 'failed') await noteImport(services, run, { importId, jobFailed: true });
  if (options.complete) await releaseRun(services, key);
  return storeImport(services, sent, { runId: key.runId, ciBuildId, state: 'recorded' });
}
