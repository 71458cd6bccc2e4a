/** HTML forms: `application/x-www-form-urlencoded` bodies. */
import { formTooLarge, invalidRequest } from '#shared/engine/errors.ts';
import { decodeBytes, type EncodedBody } from './body.ts';
import { FORM_LIMITS } from './limits.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Values by field name. A repeated field has an array of values. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** Refuses other content types, because the fields in their bodies would seem to be missing. */
export function parseFormFields(body: EncodedBody, contentType: string | undefined): FormFields {
  if (parseMediaType(contentType) !== FORM_TYPE)
    throw invalidRequest(`The form has the wrong content type. Send it as ${FORM_TYPE}`);
  const bytes = decodeBytes(body, FORM_LIMITS.bytes, () => formTooLarge(`${FORM_LIMITS.bytes} bytes`));
  const pairs = new URLSearchParams(bytes.toString('utf8'));
  if (pairs.size > FORM_LIMITS.fields) throw formTooLarge(`${FORM_LIMITS.fields} fields`);
  const fields = new Map<string, [string, ...string[]]>();
  for (const [name, value] of pairs) {
    const earlierValues = fields.get(name);
    if (earlierValues) earlierValues.push(value);
    else fields.set(name, [value]);
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

const parseMediaType = (contentType = ''): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();
