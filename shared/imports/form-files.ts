/**
 * Reports that are sent as files of a form, for example by `curl -F file=@junit.xml`. Each form has a random boundary,
 * so the body differs each time even if the reports are the same. To recognize a repeated request as the same import,
 * the body is replaced by the file, or by an archive of several files.
 */
import { extname } from 'node:path';
import { buildZip } from '#shared/engine/archives/stored-zip.ts';
import { parseMultipartForm } from '#shared/engine/http/file-form.ts';
import { unreadableForm } from '#shared/reports/errors.ts';
import type { SentReport } from './import-row.ts';
import { shortenFileName } from './imported-files.ts';
import { IMPORT_LIMITS } from './limits.ts';

const HEAD_BYTES = 1024;
/** The content decides, because the content type of the request may be wrong. No report begins like a form. */
const FORM = /^--([\w'()+,./:=? -]{1,70})\r\n(?:[^\r\n]+\r\n)*?content-disposition: *form-data/i;

/** Returns a report that is not a form unchanged. Throws 400 for a form that is damaged or has no file. */
export async function unpackForm(report: SentReport): Promise<SentReport> {
  const head = Buffer.from(report.file.subarray(0, HEAD_BYTES)).toString('latin1');
  const [, boundary] = FORM.exec(head) ?? [];
  if (boundary === undefined) return report;
  const [first, ...others] = await parseFormFiles(report.file, boundary);
  if (!first || [first, ...others].every(({ bytes }) => bytes.length === 0))
    throw unreadableForm('has no file with content');
  if (others.length > 0) return { ...report, file: buildZip(makeNamesUnique([first, ...others])) };
  return { ...report, file: first.bytes, options: { name: first.name, ...report.options } };
}

interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

async function parseFormFiles(body: Uint8Array, boundary: string): Promise<SentFile[]> {
  const form = await parseMultipartForm(body, `multipart/form-data; boundary="${boundary}"`);
  if (!form) throw unreadableForm('is damaged');
  const files: SentFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') throw unreadableForm(describeProblem(shortenFileName(field), value));
    // An empty file is kept, because the run must not pass without the report of a tool that crashed.
    files.push({ name: shortenFileName(value.name), bytes: new Uint8Array(await value.arrayBuffer()) });
  }
  if (files.length > IMPORT_LIMITS.formFiles)
    throw unreadableForm(`has more than ${IMPORT_LIMITS.formFiles} files. Send the others in another form`);
  return files;
}

/** `curl -F 'file=<junit.xml'` sends the content of the file as a text field. */
const describeProblem = (field: string, text: string): string =>
  /[\n<{]/.test(text)
    ? `has text instead of a file in the field "${field}"`
    : `has the field "${field}", which belongs in the query: ?${field}=<value>`;

/** Files from different folders often share a name. An archive would keep only the first file with each name. */
function makeNamesUnique(files: readonly SentFile[]): SentFile[] {
  const usedNames = new Set<string>();
  return files.map(({ name, bytes }, index) => {
    const uniqueName = usedNames.has(name) ? `${index + 1}/${name}` : name;
    usedNames.add(name);
    // Only files with an ending of a report are read as reports. A file without any ending may be one.
    return { name: extname(name) === '' ? `${uniqueName}.xml` : uniqueName, bytes };
  });
}
