/** §6 Custom headers as people enter them: one `Name: value` on each line. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { parseHeaders } from './header-rules.ts';

export const formatHeaderLines = (headers: string | null): string =>
  parseHeaders(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** As JSON text, or null. Error messages never contain a value, because values are secrets. */
export function parseHeaderLines(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim());
  const entries = lines.flatMap((line, index) => (line === '' ? [] : [parseHeaderLine(line, index + 1)]));
  const twice = entries.find(([name], index) => entries.findIndex(([other]) => other === name) < index);
  if (twice) throw invalidRequest(`The header ${twice[0]} occurs twice. Write it once`);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

function parseHeaderLine(line: string, number: number): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw invalidRequest(`Line ${number} of the headers is not a header. Write the line as Name: value`);
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
