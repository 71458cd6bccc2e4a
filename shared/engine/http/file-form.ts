/** HTML forms with files: `multipart/form-data` bodies. */
import { formTooLarge, invalidRequest, refuse } from '#shared/engine/errors.ts';
import { decodedBytes, type EncodedBody } from './body.ts';
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

/** Returns the fields of the form. If a field is repeated, its last value is used. */
export async function fileFields(
  encoded: EncodedBody,
  contentType = '',
): Promise<Readonly<Record<string, string | SentFile>>> {
  if (!contentType.trim().toLowerCase().startsWith(FILE_FORM_TYPE))
    throw invalidRequest(`The form has the wrong content type. Send it as ${FILE_FORM_TYPE}`);
  const bytes = decodedBytes(encoded, FORM_LIMITS.fileBytes, () => formTooLarge(`${FORM_LIMITS.fileBytes} bytes`));
  const form = (await parsedForm(bytes, contentType)) ?? refuse(invalidRequest('The form is damaged. Send it again'));
  const sent = [...form];
  if (sent.length > FORM_LIMITS.fields) throw formTooLarge(`${FORM_LIMITS.fields} fields`);
  const fields = await Promise.all(sent.map(async ([name, value]) => [name, await fieldOf(value)] as const));
  return Object.fromEntries(fields);
}

const fieldOf = async (value: string | File): Promise<string | SentFile> =>
  typeof value === 'string' ? value : new SentFile(value.name, new Uint8Array(await value.arrayBuffer()));

/** Parses a form with files. Returns `undefined` for a damaged form. */
export async function parsedForm(bytes: Uint8Array, contentType: string): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
}
