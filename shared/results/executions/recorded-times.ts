/**
 * When executions with the branches and authors of a filter were recorded. Their terms know it, because they are extended
 * before an execution is stored (`ingest/extend-terms.ts`). In any doubt, all times count.
 */
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { TimeRange } from '#shared/model/results/recent-facts.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import { isTermValue, type Term, type TermKey, type TermType, terms } from '#shared/model/runs/term.ts';
import type { WithClock } from '#shared/services.ts';
import type { TestResultsFilter } from '../filter-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';

interface NamedTerms {
  /** The member of the row of known terms that applies to them. */
  readonly since: 'branchesSince' | 'authorsSince';
  readonly keys: readonly Pick<TermKey, 'termType' | 'value'>[];
}

/** The terms by which executions can be found. An execution must have one term of each element. */
function listNamedTerms({ branches, authors }: TestResultsFilter): NamedTerms[] {
  const hasPrefix = branches?.some((name) => name.endsWith('*')) ?? false;
  return [
    ...(hasPrefix ? [] : listTerms('branchesSince', branches, ['branch'])),
    ...listTerms('authorsSince', authors, ['authorName', 'authorEmail']),
  ];
}

function listTerms(
  since: NamedTerms['since'],
  values: readonly string[] | undefined,
  termTypes: readonly TermType[],
): NamedTerms[] {
  const names = [...new Set(values)];
  const areFew = names.length > 0 && names.length <= RESULT_LIMITS.lookedUpTerms;
  if (!areFew || !names.every(isTermValue)) return [];
  return [{ since, keys: termTypes.flatMap((termType) => names.map((value) => ({ termType, value }))) }];
}

/** Whether the filter names branches or authors whose executions may all be in a part of the history. */
export const namesTerms = (filter: TestResultsFilter): boolean => listNamedTerms(filter).length > 0;

/** Within the range, in order and apart from each other. */
export async function findRecordedTimes(
  services: WithClock,
  { project, filter, range }: { project: ProjectKey; filter: TestResultsFilter; range: TimeRange },
): Promise<readonly TimeRange[]> {
  const times = await Promise.all(listNamedTerms(filter).map((names) => readTimes(services, project, names)));
  return times.reduce(intersectRanges, [range]);
}

const ALWAYS: readonly TimeRange[] = [[0, Number.POSITIVE_INFINITY]];

async function readTimes(
  { table, now }: WithClock,
  project: ProjectKey,
  { since, keys }: NamedTerms,
): Promise<readonly TimeRange[]> {
  const [recordedSince, rows] = await Promise.all([
    // What is known of branches never changes, and that of authors only by an erasure.
    table.get(knownTerms, project, { consistent: since === 'authorsSince' }),
    table.getMany(
      terms,
      keys.map((key) => ({ ...project, ...key })),
      { consistent: true },
    ),
  ]);
  if (!recordedSince) return ALWAYS;
  const namedTerms = rows.filter((term) => term !== undefined);
  if (namedTerms.some((term) => isOfOlderVersion(term, recordedSince[since]))) return ALWAYS;
  // Terms are deleted when they have ended.
  const knownSince = Math.max(recordedSince[since], now() - MODEL_LIMITS.terms.keptMilliseconds + DAY_MILLISECONDS);
  const times = namedTerms.map(({ recordedFrom = 0, recordedUntil = 0 }): TimeRange => [recordedFrom, recordedUntil]);
  return mergeRanges([[0, knownSince], ...times]);
}

/** Whether a version of Rundown used the term that does not store its times, such as after a deployment was undone. */
const isOfOlderVersion = ({ lastUsedAt, recordedUntil = 0 }: Term, knownSince: number): boolean =>
  lastUsedAt >= Math.max(recordedUntil, knownSince);

function mergeRanges(ranges: readonly TimeRange[]): TimeRange[] {
  const wholes: TimeRange[] = [];
  for (const [from, until] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = wholes.at(-1);
    if (last && from <= last[1]) wholes[wholes.length - 1] = [last[0], Math.max(last[1], until)];
    else if (from < until) wholes.push([from, until]);
  }
  return wholes;
}

const intersectRanges = (ones: readonly TimeRange[], others: readonly TimeRange[]): TimeRange[] =>
  ones.flatMap(([from, until]) =>
    others.flatMap(([otherFrom, otherUntil]): TimeRange[] => {
      const [start, end] = [Math.max(from, otherFrom), Math.min(until, otherUntil)];
      return start < end ? [[start, end]] : [];
    }),
  );
