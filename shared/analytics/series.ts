/**
 * Finds the numbers that stand for series in stored facts. A series is one test with one set of its own tags and
 * annotations.
 */
import type { Annotation } from '#shared/model/results/attempt.ts';
import { encodeMark, isOfReporter, parseRuleMarks } from '#shared/model/rules/rule-marks.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { Names } from './names.ts';
import type { SeriesTotals } from './read-model.ts';

/** The name of a series: the number that stands for its spec file, and the title, tags and annotations of the test. */
export type SeriesName = readonly [
  spec: number,
  title: readonly string[],
  tags: readonly string[],
  annotations: readonly (readonly [type: string, description: string | null])[],
];

/** The order of tags and annotations does not change the name. */
export function makeSeriesName(
  spec: number,
  { title, tags, annotations }: Pick<SeriesTotals, 'title' | 'tags' | 'annotations'>,
): SeriesName {
  const pairs = dropReporterAnnotations(annotations).map(({ type, description }) =>
    JSON.stringify([type, description ?? null]),
  );
  const distinct = [...new Set(pairs)].sort().map((pair): [string, string | null] => JSON.parse(pair));
  return [spec, title, [...new Set(tags)].sort(), distinct];
}

/**
 * Drops the annotations that the reporter adds. They contain the time of the execution, so they would make each
 * execution a series of its own. Annotations about rules that matched the test are kept, but only with the id and the
 * kind of the rule.
 */
const dropReporterAnnotations = (annotations: readonly Annotation[]): Annotation[] => [
  ...annotations.filter((annotation) => !isOfReporter(annotation)),
  ...parseRuleMarks(annotations).map(encodeMark),
];

export const getTags = ([, , tags]: SeriesName): readonly string[] => tags;

export const getAnnotations = ([, , , annotations]: SeriesName): Annotation[] =>
  annotations.map(([type, description]) => ({ type, description }));

const toSeriesKey = (name: SeriesName): string => JSON.stringify(name);
const toTitleKey = ([spec, title]: SeriesName): string => JSON.stringify([spec, title]);

/** A series may be stored with its tags and annotations, with only its tags, or with neither. */
const listVariants = ([spec, title, tags, annotations]: SeriesName): SeriesName[] => [
  [spec, title, tags, annotations],
  [spec, title, tags, []],
  [spec, title, [], []],
];

/** Beyond the limit per test, series lose annotations, then tags. Beyond that of the project, they are left out. */
export function findMissingSeries(storedNames: Names<SeriesName>, usedNames: readonly SeriesName[]): SeriesName[] {
  const keys = new Set([...storedNames.values()].map(toSeriesKey));
  const perTest = new Map<string, number>();
  for (const name of storedNames.values()) perTest.set(toTitleKey(name), (perTest.get(toTitleKey(name)) ?? 0) + 1);
  const newNames: SeriesName[] = [];
  for (const name of usedNames) {
    if (keys.has(toSeriesKey(name)) || storedNames.size + newNames.length >= ANALYTICS_LIMITS.seriesPerProject)
      continue;
    const seriesCount = perTest.get(toTitleKey(name)) ?? 0;
    const chosenName = chooseVariant(name, seriesCount);
    if (keys.has(toSeriesKey(chosenName))) continue;
    keys.add(toSeriesKey(chosenName));
    perTest.set(toTitleKey(name), seriesCount + 1);
    newNames.push(chosenName);
  }
  return newNames;
}

/** `seriesCount`: how many series of the test are stored already. */
function chooseVariant(name: SeriesName, seriesCount: number): SeriesName {
  const [fullName = name, withoutAnnotations = name, withoutTags = name] = listVariants(name);
  const room = ANALYTICS_LIMITS.seriesPerTest;
  const isLong = Buffer.byteLength(toSeriesKey(name)) > ANALYTICS_LIMITS.nameBytes;
  if (isLong || seriesCount >= 2 * room) return withoutTags;
  return seriesCount < room ? fullName : withoutAnnotations;
}

/** If the series was stored without annotations or tags, finds the number of that variant. */
export function makeSeriesLookup(names: Names<SeriesName>): (name: SeriesName) => number | undefined {
  const numbers = new Map([...names].map(([number, name]) => [toSeriesKey(name), number]));
  return (name) =>
    listVariants(name)
      .map((variant) => numbers.get(toSeriesKey(variant)))
      .find((number) => number !== undefined);
}
