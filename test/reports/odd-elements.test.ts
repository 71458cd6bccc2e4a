import { expect, test } from 'vitest';
import type { ParsedFile } from '#shared/reports/report.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { buildReport, parseDocument, SAMPLES, type Sample } from './sample-documents.ts';
import { parseAll, toldBy } from './samples.ts';
import { readOrRefuse } from './valid-report.ts';

/** What a damaged report may have in place of an object in a list, and of such a list. */
const ODD_ELEMENTS: readonly unknown[] = [null, 5, 'text', []];
const ODD_LISTS: readonly unknown[] = [5, 'text', {}];

type Path = readonly (string | number)[];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The paths of the lists of objects, and of the objects in them. */
function* listPaths(value: unknown, path: Path = []): Generator<Path, void> {
  if (!isObject(value)) return;
  const isList = Array.isArray(value);
  if (isList && path.length > 0 && value.some(isObject)) yield path;
  for (const [name, inner] of Object.entries(value)) {
    const place = [...path, isList ? Number(name) : name];
    if (isList && isObject(inner)) yield place;
    yield* listPaths(inner, place);
  }
}

function replaceAt(value: unknown, [first, ...others]: Path, odd: unknown): unknown {
  if (first === undefined) return odd;
  if (Array.isArray(value)) return value.map((one, index) => (index === first ? replaceAt(one, others, odd) : one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === first ? replaceAt(inner, others, odd) : inner]),
  );
}

interface Place {
  readonly file: number;
  /** A report in lines has a document in each of them. */
  readonly line: number;
  readonly document: unknown;
  readonly path: Path;
}

const splitDocuments = (text: string): string[] => (parseDocument(text) === undefined ? text.split('\n') : [text]);

const listPlaces = ({ files }: Sample): Place[] =>
  files.flatMap(({ text }, file) =>
    splitDocuments(text).flatMap((part, line) => {
      const document = parseDocument(part);
      return [...listPaths(document)].map((path) => ({ file, line, document, path }));
    }),
  );

const replaceIn = ({ files, isFolder }: Sample, { file, line, document, path }: Place, odd: unknown): Buffer =>
  buildReport(
    isFolder,
    files.map(({ name, text }, index) => {
      if (index !== file) return { name, text };
      const parts = splitDocuments(text);
      return { name, text: parts.with(line, JSON.stringify(replaceAt(document, path, odd))).join('\n') };
    }),
  );

const describePath = (path: Path): string => path.map((part) => (typeof part === 'number' ? '*' : part)).join('.');

/** Names of suites are left out, because a test without its suite still counts. */
const tellOutcomes = (files: readonly ParsedFile[]) =>
  files
    .flatMap((file) => [
      ...toldBy(file).map(({ outcome, flaky, attempts }) => `${outcome}, ${flaky}, ${attempts}`),
      ...file.runErrors,
    ])
    .sort();

const whole = await Promise.all(
  SAMPLES.map(async (sample) => ({
    sample,
    outcomes: tellOutcomes(await parseAll(buildReport(sample.isFolder, sample.files))),
    places: Map.groupBy(listPlaces(sample), ({ path }) => describePath(path)),
  })),
);
const rows = whole
  .flatMap(({ sample, outcomes, places }) =>
    [...places].map(([name, own]) => [sample.format, name, { sample, outcomes, places: own }] as const),
  )
  .map((row, index) => [...row, index] as const);

test.each(rows)(
  'An element of a list in JSON that is no object leaves each outcome as it is, or the report is incomplete: %s, %s',
  async (_, name, { sample, outcomes, places }, row) => {
    const all = name.endsWith('*') ? ODD_ELEMENTS : ODD_LISTS;
    for (const place of IS_DEEP ? places : places.slice(-1))
      for (const odd of sampled(all, all.length, row)) {
        const files = await readOrRefuse(() => parseAll(replaceIn(sample, place, odd)));
        if (files && !files.some(({ truncated }) => truncated))
          expect(tellOutcomes(files), `${place.path.join('.')}: ${JSON.stringify(odd)}`).toEqual(outcomes);
      }
  },
);
