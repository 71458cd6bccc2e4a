/** Imports a report from a request body. Reports that would take too long for a request go to the queue. */

import { storedZip } from '#shared/engine/archives/stored-zip.ts';
import { ApiError, notFound, refuse } from '#shared/engine/errors.ts';
import { parsedForm } from '#shared/engine/http/file-form.ts';
import { noteImport, releaseRun } from '#shared/lifecycle/hold-run.ts';
import { runIdOf } from '#shared/model/ids.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { runs } from '#shared/model/runs/run.ts';
import { dryRunTooLarge, unreadableForm } from '#shared/reports/errors.ts';
import type { Services } from '#shared/services.ts';
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

/**
 * Whether the report is small enough to be parsed within a request. For gzip, the trailer gives the decompressed size.
 */
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

/**
 * Records a small report before the response is sent. Larger reports go to the queue. A request with an empty body may
 * end the run of its build.
 */
export async function startImport(services: Services, sentImport: UnhashedReport): Promise<Import> {
  const sent = hashed(await withoutForm(sentImport));
  await findProject(services, sent);
  if (endsBuild(sent)) return changeBuild(services, sent, sent.options.ciBuildId);
  const plan = await planIfSmall(services, sent);
  return plan && isQuick(plan)
    ? recordNow(services, sent, plan)
    : queueImport(services, sent, plan && { ...plannedFacts(sent, plan), progress: progressOf(plan, 0) });
}

/**
 * Returns what would be recorded for a small report. An empty body is refused here, because a dry run cannot end a run.
 */
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
 * Returns `undefined` if the report needs more time or memory than a request has. In that case, the worker that
 * processes the queue determines whether the file is a report at all.
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

/** Writes the row of the import last, so that a killed request leaves no row. A retry then records everything again. */
async function recordNow(services: Services, sent: SentReport, plan: ImportPlan) {
  const facts = plannedFacts(sent, plan);
  const { ciBuildId } = facts;
  const recording = { ...sent, importId: importIdOf(sent), plan, ciBuildId, requestKey: importKeyOf(sent) };
  const files = await recordPlan(services, recording, { recorded: 0, onStep: async () => {} });
  const progress = progressOf(plan, plan.instances.length);
  return storeImport(services, sent, { ...facts, files, progress, state: 'recorded' });
}

/** An empty request with `complete=true` lets the run of the build end. With `status=failed`, the run cannot pass. */
async function changeBuild(services: Services, sent: SentReport, ciBuildId: string): Promise<Import> {
  const { organizationId, projectId, options } = sent;
  const key = { organizationId, runId: runIdOf({ organizationId, projectId, ciBuildId }) };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const { importId = importIdOf(sent) } = run;
  if (options.status === 'failed') await noteImport(services, run, { importId, jobFailed: true });
  if (options.complete) await releaseRun(services, key);
  return storeImport(services, sent, { runId: key.runId, ciBuildId, state: 'recorded' });
}

// Reports may be sent as files of a form, for example by `curl -F file=@junit.xml`. Each form has a random boundary, so
// the body differs each time even if the reports are the same. To recognize a repeated request as the same import, the
// body is replaced by the file, or by an archive of several files.

const HEAD_BYTES = 1024;
/**
 * A form is recognized by its content, because the content type of the request may be wrong. No report begins like a
 * form.
 */
const FORM = /^--([\w'()+,./:=? -]{1,70})\r\n(?:[^\r\n]+\r\n)*?content-disposition: *form-data/i;

async function withoutForm(sent: UnhashedReport): Promise<UnhashedReport> {
  const head = Buffer.from(sent.file.subarray(0, HEAD_BYTES)).toString('latin1');
  const [, boundary] = FORM.exec(head) ?? [];
  if (boundary === undefined) return sent;
  const [first, ...others] = await filesOf(sent.file, boundary);
  if (!first) throw unreadableForm('has no file with content');
  if (others.length > 0) return { ...sent, file: storedZip(namedApart([first, ...others])) };
  return { ...sent, file: first.bytes, options: { name: first.name, ...sent.options } };
}

interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function filesOf(body: Uint8Array, boundary: string): Promise<SentFile[]> {
  const form = await parsedForm(body, `multipart/form-data; boundary="${boundary}"`);
  if (!form) throw unreadableForm('is damaged');
  const files: SentFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') throw unreadableForm(problemOf(shown(field), value));
    if (value.size > 0) files.push({ name: shown(value.name), bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  if (files.length > IMPORT_LIMITS.formFiles)
    throw unreadableForm(`has more than ${IMPORT_LIMITS.formFiles} files. Send the others in another form`);
  return files;
}

/**
 * Describes the problem with a text field of the form. `curl -F 'file=<junit.xml'` sends the content of the file as a
 * text field.
 */
const problemOf = (field: string, text: string): string =>
  /[\n<{]/.test(text)
    ? `has text instead of a file in the field "${field}"`
    : `has the field "${field}", which belongs in the query: ?${field}=<value>`;

const shown = (name: string): string => name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed();

/**
 * Makes the names of the files unique. Files from different folders often share a name, and an archive would keep only
 * the first file with each name.
 */
function namedApart(files: readonly SentFile[]): SentFile[] {
  const seen = new Set<string>();
  return files.map(({ name, bytes }, index) => {
    const own = seen.has(name) ? `${index + 1}/${name}` : name;
    seen.add(name);
    return { name: own, bytes };
  });
}
