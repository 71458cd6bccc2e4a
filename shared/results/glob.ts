/** Matches texts with patterns in which `*` stands for any characters. */

/** `*` stands for any characters. Never backtracks, so no pattern can make it slow. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const position = text.indexOf(part, at);
    if (position < 0) return false;
    at = position + part.length;
  }
  return at <= text.length - last.length;
}
