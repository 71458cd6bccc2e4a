/** HTML forms with files: `multipart/form-data` bodies. */
import { formTooLarge, invalidRequest, refuse } from '#shared/engine/errors.ts';
import { decodeBytes, type EncodedBody } from './body.ts';
import { FORM_LIMITS } from './limits.ts';

/** An uploaded file. If no file was chosen, browsers send an empty name and no bytes. */
export class SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }
}

const FILE_FORM_TYPE = 'multipart/form-data';

/** If a field is repeated, its last value is used. */
export async function parseFileFields(
  body: EncodedBody,
  contentType = '',
): Promise<Readonly<Record<string, string | SentFile>>> {
  if (!contentType.trim().toLowerCase().startsWith(FILE_FORM_TYPE))
    throw invalidRequest(`The form has the wrong content type. Send it as ${FILE_FORM_TYPE}`);
  const bytes = decodeBytes(body, FORM_LIMITS.fileBytes, () => formTooLarge(`${FORM_LIMITS.fileBytes} bytes`));
  const form =
    (await parseMultipartForm(bytes, contentType)) ?? refuse(invalidRequest('The form is damaged. Send it again'));
  const entries = [...form];
  if (entries.length > FORM_LIMITS.fields) throw formTooLarge(`${FORM_LIMITS.fields} fields`);
  const fields = await Promise.all(entries.map(async ([name, value]) => [name, await readField(value)] as const));
  return Object.fromEntries(fields);
}

const readField = async (value: string | File): Promise<string | SentFile> =>
  typeof value === 'string' ? value : new SentFile(value.name, new Uint8Array(await value.arrayBuffer()));

/** Returns `undefined` for a damaged form. */
export async function parseMultipartForm(bytes: Uint8Array, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}
