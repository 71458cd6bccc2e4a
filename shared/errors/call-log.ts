/** Finds the element or the URL that a failed call or assertion of Playwright was about. */

const LOCATOR = /^(?:page\.|frame\.)?(?:locator|getBy\w{1,32}|frameLocator|get_by_\w{1,32}|frame_locator)\(/;
const STATE = / to be (?:visible|hidden|attached|detached|enabled|editable|stable)\b/g;
const WAITED = /^waiting for (?:navigation|request|response|event)(?: to)? (?:"([^"]{1,2048})"|(\/\S{1,2048}))/;
const NAVIGATED = /^navigating to "([^"]{1,2048})"/;
const REQUESTED = /^→ [A-Z]{3,10} (\S{1,2048})/;
const STRICT = 'strict mode violation: ';
const RESOLVED = / resolved to \d{1,9} elements/;

const removeLogMarks = (line: string): string =>
  line
    .trim()
    .replace(/^- {0,8}/, '')
    .replace(/^\d{1,9} × /, '');

export const findLocator = (lines: readonly string[]): string | null =>
  findLabelledText(lines, 'Locator:') ??
  findInLog(lines, extractWaitedLocator) ??
  findInLog(lines, extractStrictLocator);

export const findAddress = (lines: readonly string[]): string | null =>
  findInLog(lines, (line) => {
    const [, address, pattern] = WAITED.exec(line) ?? NAVIGATED.exec(line) ?? REQUESTED.exec(line) ?? [];
    return address ?? pattern;
  });

export const findLabelledText = (lines: readonly string[], label: string): string | null =>
  findInLog(lines, (line) => (line.startsWith(label) ? line.slice(label.length).trim() || undefined : undefined));

function findInLog(lines: readonly string[], find: (line: string) => string | undefined): string | null {
  for (const line of lines) {
    const result = find(removeLogMarks(line));
    if (result !== undefined) return result;
  }
  return null;
}

function extractWaitedLocator(line: string): string | undefined {
  if (!line.startsWith('waiting for ')) return undefined;
  const rest = line.slice('waiting for '.length);
  return LOCATOR.test(rest) ? rest.slice(0, [...rest.matchAll(STATE)].at(-1)?.index) : undefined;
}

function extractStrictLocator(line: string): string | undefined {
  const start = line.indexOf(STRICT);
  if (start === -1) return undefined;
  const rest = line.slice(start + STRICT.length);
  const end = RESOLVED.exec(rest)?.index;
  return end === undefined ? undefined : rest.slice(0, end);
}
