/**
 * Reports sent as files of a form, as by `curl -F file=@junit.xml`. A form's boundary is random, so its files replace
 * it: one as it is, several as an archive. A repeated request is then the same import.
 */
import { storedZip } from '#shared/engine/archives/stored-zip.ts';
import { parsedForm } from '#shared/engine/http/file-form.ts';
import { unreadableForm } from '#shared/reports/errors.ts';
import { IMPORT_LIMITS } from './limits.ts';
import type { UnhashedReport } from './queue-import.ts';

const HEAD_BYTES = 1024;
/**
 * A form is recognized by its content, because the content type of the request may be wrong. No report begins like
 * this.
 */
const FORM = /^--([\w'()+,./:=? -]{1,70})\r\n(?:[^\r\n]+\r\n)*?content-disposition: *form-data/i;

export async function withoutForm(sent: UnhashedReport): Promise<UnhashedReport> {
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
  if (files.length > IMPORT_LIMITS.formFiles) throw unreadableForm(`has more than ${IMPORT_LIMITS.formFiles} files`);
  return files;
}

/**
 * What is wrong with a field of the form. `curl -F 'file=<junit.xml'` sends the content of the file as a text field.
 */
const problemOf = (field: string, text: string): string =>
  /[\n<{]/.test(text)
    ? `has text instead of a file in the field "${field}"`
    : `has the field "${field}", which belongs in the query: ?${field}=<value>`;

const shown = (name: string): string => name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed();

/**
 * Gives the files different names. Files from different folders often share a name, and an archive would keep only the
 * first of them.
 */
function namedApart(files: readonly SentFile[]): SentFile[] {
  const seen = new Set<string>();
  return files.map(({ name, bytes }, index) => {
    const own = seen.has(name) ? `${index + 1}/${name}` : name;
    seen.add(name);
    return { name: own, bytes };
  });
}
