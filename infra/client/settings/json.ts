/** Reads JSON that may be anything, such as the response of a proxy. */

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** `undefined` if the value has no such member, or if the member is not a string. */
export function findText(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}
