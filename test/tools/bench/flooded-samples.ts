/**
 * Expensive reports of every format without reports of its own in `hostile-reports.ts`, made from its sample: each member,
 * attribute or element is flooded until the report has the size that a request reads.
 */
import { IMPORT_LIMITS } from '#shared/imports/limits.ts';
import { countTimes, listSections, repeatSections } from '#test/reports/repeated-samples.ts';
import { listContainers, listKeys, nestValues, repeatElements, replaceValues } from '#test/reports/report-attacks.ts';
import type { Sample } from '#test/reports/sample-documents.ts';

interface Flood {
  readonly name: string;
  readonly build: () => string;
}

const fill = (part: string, bytes: number): string => part.repeat(Math.max(0, Math.floor(bytes / part.length)));

/** What a member is flooded with in JSON, and an attribute or text in XML and lines. */
const FLOODS: Readonly<Record<string, (bytes: number) => { readonly json: string; readonly plain: string }>> = {
  'empty objects': (bytes) => ({ json: `[${fill('{},', bytes)}{}]`, plain: fill('{},', bytes) }),
  'empty texts': (bytes) => ({ json: `[${fill('"",', bytes)}""]`, plain: fill('&#9;', bytes) }),
  'one long text': (bytes) => ({
    json: `"${fill('a > b: (c) at d.js:1:1 ', bytes)}"`,
    plain: fill('a > b: (c) ', bytes),
  }),
  'a text of line breaks': (bytes) => ({ json: `"${fill('\\n ', bytes)}"`, plain: fill('\n', bytes) }),
};

export function* listFloods(sample: Sample): Generator<Flood, void> {
  // A result of Allure is also a report of its own.
  const files = sample.isFolder
    ? sample.files.filter(({ name }) => name.endsWith('-result.json')).slice(0, 1)
    : sample.files;
  const content = files[0]?.text ?? '';
  const bytes = IMPORT_LIMITS.small.bytes - content.length - MARGIN_BYTES;
  const floods = Object.entries(FLOODS);
  // Each member gets another flood, and every fifth is nested, because a report of each pair would take an hour.
  for (const [index, key] of listKeys(files).entries()) {
    const [name, flood] = floods[index % floods.length] ?? [];
    if (flood) yield { name: `${key}: ${name}`, build: () => replaceValues(content, key, flood(bytes), true) };
  }
  for (const [index, name] of listContainers(files).entries()) {
    const levels = Math.floor(bytes / (2 * name.length + PUNCTUATION));
    yield index % NESTED_STEP === 0
      ? { name: `${name} inside itself`, build: () => nestValues(content, name, levels) }
      : { name: `many ${name}`, build: () => repeatElements(content, name, bytes) };
  }
  const sections = listSections(content);
  const times = Math.max(1, countTimes(sections, bytes) - 1);
  yield { name: 'many tests', build: () => [...repeatSections(sections, times)].join('') };
  yield { name: 'tests of one name', build: () => [...repeatSections(sections, times, false)].join('') };
}
const MARGIN_BYTES = 20_000;
const NESTED_STEP = 5;
/** Characters around the name of a member that is nested in itself. */
const PUNCTUATION = 10;
