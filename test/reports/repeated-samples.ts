/**
 * Large reports of every format of the table: the tests of a sample, again and again under other names. Works on the
 * syntax of a sample (XML, JSON, lines), so a new format needs no code here.
 */
import { buildReport, parseDocument, type Sample } from './sample-documents.ts';

/** A part that is written once, or a part that is repeated, in which `MARK` stands for the number of the repetition. */
interface Section {
  readonly text: string;
  readonly isRepeated: boolean;
  /** Between repetitions. */
  readonly separator: string;
}

/** A character that no sample has. */
const MARK = '\u0001';

/** Names and ids, which tell tests apart. */
const NAME =
  /^(?:(?:full_?)?(?:name|title|description)|.*titles|titlePath|nodeid|(?:full|test)?file|file_?path|relative|path|uri|package|importpath|(?:.*_?)?u?u?ids?)$/i;
const ID = /ids?$/i;
/** Attributes of XML that name tests, files, classes and ids. */
const NAME_ATTRIBUTE = /( (?:test|class|full)?(?:[Nn]ame|Id|id|file)=")/g;
const DIGITS = 6;

function markValue(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((one) => markValue(one, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, markValue(inner, name)]));
  if (!NAME.test(key)) return value;
  if (typeof value === 'string') return value === '' ? '' : `${MARK}${value}`;
  return typeof value === 'number' && ID.test(key) ? `${NUMBER}${String(value).padStart(DIGITS, '0')}${NUMBER}` : value;
}
/** Marks a number in the text of JSON, which must not have quotes. */
const NUMBER = '\u0002';
const QUOTED_NUMBER = /"\\u0002(\d+)\\u0002"/g;

const markJson = (value: unknown): string =>
  JSON.stringify(markValue(value, '')).replaceAll(QUOTED_NUMBER, `${MARK}$1`).replaceAll('\\u0001', MARK);

const once = (text: string): Section => ({ text, isRepeated: false, separator: '' });
const repeated = (text: string, separator = ''): Section => ({ text, isRepeated: true, separator });

/** The elements of the outermost lists of a document are repeated, except for short lists, which do not have tests. */
function* listJsonSections(value: unknown, least: number): Generator<Section, void> {
  if (Array.isArray(value)) {
    const elements = value.map(markJson).join(',');
    yield once('[');
    yield elements.length < least ? once(elements.replaceAll(MARK, '')) : repeated(elements, ',');
    yield once(']');
  } else if (typeof value === 'object' && value !== null) {
    for (const [index, [name, inner]] of Object.entries(value).entries()) {
      yield once(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
      yield* listJsonSections(inner, least);
    }
    yield once(Object.keys(value).length === 0 ? '{}' : '}');
  } else yield once(JSON.stringify(value));
}

const XML = /^(.*?<(?![?!])[^>]*>)(.*)(<\/[^>]*>\s*)$/s;
const TAP_NAME = /((?:^|\n)\s*(?:not )?ok \d+ (?:- )?|# Subtest: )(?=[^#\s])/g;

const markLine = (line: string): string => {
  const value = parseDocument(line);
  return value === undefined ? line.replaceAll(TAP_NAME, `$1${MARK}`) : markJson(value);
};

export function listSections(text: string): Section[] {
  const [, root = '', inner = '', end = ''] = XML.exec(text) ?? [];
  if (root !== '') return [once(root), repeated(inner.replaceAll(NAME_ATTRIBUTE, `$1${MARK}`)), once(end)];
  const value = parseDocument(text);
  if (value !== undefined) return [...listJsonSections(value, text.length * LEAST_PART)];
  return [repeated(`${text.trimEnd().split('\n').map(markLine).join('\n')}\n`)];
}
/** Of a document that is a list of tests. */
const LEAST_PART = 0.06;

/** The first repetition has number 1, because a number in JSON must not begin with 0. */
const fill = (text: string, index: number): string => text.replaceAll(MARK, String(index + 1));

/** `isRenamed`: whether each repetition has names of its own. */
export function* repeatSections(
  sections: readonly Section[],
  times: number,
  isRenamed = true,
): Generator<string, void> {
  for (const { text, isRepeated, separator } of sections) {
    if (!isRepeated) yield text;
    else
      for (let index = 0; index < times; index += 1)
        yield (index === 0 ? '' : separator) + fill(text, isRenamed ? index : 0);
  }
}

export const countTimes = (sections: readonly Section[], bytes: number): number => {
  const size = sections.reduce((sum, { text, isRepeated }) => sum + (isRepeated ? Buffer.byteLength(text) : 0), 0);
  return Math.max(1, Math.ceil(bytes / size));
};

const UUID = /[\da-f]{8}(?=-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})/g;
const UUID_DIGITS = 8;

/** A folder of results in a zip archive, with the files of a sample again and again. */
export function repeatFolder({ files }: Sample, times: number): Buffer {
  const markedFiles = files.map(({ name, text }) => ({
    name,
    text: name.endsWith('.json') ? markJson(parseDocument(text)) : text,
  }));
  const copies = Array.from({ length: times }, (_, index) => {
    const number = index.toString(16).padStart(UUID_DIGITS, '0');
    const rename = (text: string) => fill(text, index).replaceAll(UUID, number);
    return markedFiles.map(({ name, text }) => ({ name: rename(name), text: rename(text) }));
  });
  return buildReport(true, copies.flat());
}
