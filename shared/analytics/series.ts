/**
 * Finds the numbers that stand for series in stored facts. A series is one test with one set of its own tags and
 * annotations.
 */
import type { Annotation } from '#shared/model/tests/attempt.ts';
import { encodeMark, isOfReporter, parseRuleMarks } from '#shared/model/tests/rule-marks.ts';
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

/** The name of a series. The order of tags and annotations does not change it. */
export function seriesName(
  spec: number,
  { title, tags, annotations }: Pick<SeriesTotals, 'title' | 'tags' | 'annotations'>,
): SeriesName {
  const pairs = stable(annotations).map(({ type, description }) => JSON.stringify([type, description ?? null]));
  const distinct = [...new Set(pairs)].sort().map((pair): [string, string | null] => JSON.parse(pair));
  return [spec, title, [...new Set(tags)].sort(), distinct];
}

/**
 * Drops the annotations that the reporter adds. They contain the time of the execution, so they would make each
 * execution a series of its own. Annotations about rules that matched the test are kept, but only with the id and the
 * kind of the rule.
 */
const stable = (annotations: readonly Annotation[]): Annotation[] => [
  ...annotations.filter((annotation) => !isOfReporter(annotation)),
  ...parseRuleMarks(annotations).map(encodeMark),
];

export const annotationsOf = ([, , , annotations]: SeriesName): Annotation[] =>
  annotations.map(([type, description]) => ({ type, description }));

const keyOf = (name: SeriesName): string => JSON.stringify(name);
const testOf = ([spec, title]: SeriesName): string => JSON.stringify([spec, title]);

/**
 * The names under which a series may be stored: with its tags and annotations, with only its tags, and with neither.
 */
const variants = ([spec, title, tags, annotations]: SeriesName): SeriesName[] => [
  [spec, title, tags, annotations],
  [spec, title, tags, []],
  [spec, title, [], []],
];

/**
 * The series to append to the list of names. If a test has too many series, further series are stored without
 * annotations, and later also without tags. Series beyond the limit of the project are left out.
 */
export function missingSeries(known: Names<SeriesName>, wanted: readonly SeriesName[]): SeriesName[] {
  const keys = new Set([...known.values()].map(keyOf));
  const perTest = new Map<string, number>();
  for (const name of known.values()) perTest.set(testOf(name), (perTest.get(testOf(name)) ?? 0) + 1);
  const added: SeriesName[] = [];
  for (const name of wanted) {
    if (keys.has(keyOf(name)) || known.size + added.length >= ANALYTICS_LIMITS.seriesPerProject) continue;
    const own = perTest.get(testOf(name)) ?? 0;
    const [exact = name, withoutAnnotations = name, bare = name] = variants(name);
    const isLong = Buffer.byteLength(keyOf(name)) > ANALYTICS_LIMITS.nameBytes;
    const room = ANALYTICS_LIMITS.seriesPerTest;
    const chosen = !isLong && own < room ? exact : !isLong && own < 2 * room ? withoutAnnotations : bare;
    if (keys.has(keyOf(chosen))) continue;
    keys.add(keyOf(chosen));
    perTest.set(testOf(name), own + 1);
    added.push(chosen);
  }
  return added;
}

/**
 * Finds the number that stands for a series. If the series was stored without annotations or tags, finds the number of
 * that variant.
 */
export function seriesNumbers(known: Names<SeriesName>): (name: SeriesName) => number | undefined {
  const numbers = new Map([...known].map(([number, name]) => [keyOf(name), number]));
  return (name) =>
    variants(name)
      .map((variant) => numbers.get(keyOf(variant)))
      .find((number) => number !== undefined);
}
