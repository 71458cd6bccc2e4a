/** Reads members of untrusted JSON. A member that is missing or has another type is `undefined`. */

export function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function readText(value: unknown, name: string): string | undefined {
  const member = readMember(value, name);
  return typeof member === 'string' ? member : undefined;
}

export function readNumber(value: unknown, name: string): number | undefined {
  const member = readMember(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

export function readInteger(value: unknown, name: string): number | undefined {
  const number = readNumber(value, name);
  return Number.isSafeInteger(number) ? number : undefined;
}
