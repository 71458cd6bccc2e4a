/** Reads the failed and flaky executions with an error. */
import { collectEvents, type EventsOfSpan, untilComplete } from './collect.ts';
import { matchesEntry, matchesTags } from './filter.ts';
import { type NamesOfTests, testOfSeries, withNamesOfTests } from './named.ts';
import type { AnalyticsFilter, AnalyticsScope, Occurrence, Reader } from './read-model.ts';

export const readOccurrences: Reader<Occurrence> = (services, scope, period, filter) => {
  const collected = untilComplete(() => collectEvents(services, { scope, period, filter }));
  return withNamesOfTests(services, scope, collected, (all, names) => {
    const identities = identitiesOf(scope, names);
    return all.flatMap((one) => occurrencesIn(one, filter, { names, identities }));
  });
};

type Identities = (series: number) => ReturnType<typeof testOfSeries>;

/** Computes the signature of each test only once, because a test may fail many times. */
function identitiesOf(scope: AnalyticsScope, names: NamesOfTests): Identities {
  const known = new Map<number, ReturnType<Identities>>();
  return (series) => {
    const before = known.get(series);
    if (before) return before;
    const identity = testOfSeries(scope, names, series);
    known.set(series, identity);
    return identity;
  };
}

function occurrencesIn(
  { entries, events }: EventsOfSpan,
  filter: AnalyticsFilter,
  { names, identities }: { readonly names: NamesOfTests; readonly identities: Identities },
): Occurrence[] {
  const wanted = entries.map((entry) => matchesEntry(filter, entry));
  return events.series.flatMap((series, place): Occurrence[] => {
    const index = events.entry[place] ?? 0;
    const entry = entries[index];
    if (!entry || !wanted[index]) return [];
    const { branch, runId, createdAt, tags } = entry;
    if (filter.tags.length > 0 && !matchesTags(filter, [...tags, ...names.series(series)[2]])) return [];
    const [message, target, action, category] = events.errors[events.error[place] ?? 0] ?? NO_ERROR;
    return [{ ...identities(series), message, target, action, category, branch, runId, createdAt }];
  });
}

const NO_ERROR = ['', null, null, null] as const;
