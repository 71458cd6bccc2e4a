/** Reads members of untrusted JSON. A missing member or one of another type is `undefined`. */

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function textAt(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

/** Reads a number that is finite. */
export function numberAt(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

export function integerAt(value: unknown, name: string): number | undefined {
  const number = numberAt(value, name);
  return Number.isSafeInteger(number) ? number : undefined;
}
