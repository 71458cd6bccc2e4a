/** Reads the failed and flaky executions with an error. */
import { collectEvents, type EventsOfSpan, retryUntilComplete } from './collect.ts';
import { hasMatchingTags, isMatchingEntry } from './filter.ts';
import { answerWithTestNames, identifyTest, type NamesOfTests } from './named.ts';
import type { AnalyticsFilter, AnalyticsScope, Occurrence, Reader } from './read-model.ts';

export const readOccurrences: Reader<Occurrence> = (services, scope, period, filter) => {
  const spanEvents = retryUntilComplete(() => collectEvents(services, { scope, period, filter }));
  return answerWithTestNames(services, scope, spanEvents, (all, names) => {
    const identities = makeIdentityLookup(scope, names);
    return all.flatMap((one) => listOccurrences(one, filter, { names, identities }));
  });
};

type Identities = (series: number) => ReturnType<typeof identifyTest>;

/** Computes the signature of each test only once, because a test may fail many times. */
function makeIdentityLookup(scope: AnalyticsScope, names: NamesOfTests): Identities {
  const identityBySeries = new Map<number, ReturnType<Identities>>();
  return (series) => {
    const before = identityBySeries.get(series);
    if (before) return before;
    const identity = identifyTest(scope, names, series);
    identityBySeries.set(series, identity);
    return identity;
  };
}

function listOccurrences(
  { entries, events }: EventsOfSpan,
  filter: AnalyticsFilter,
  { names, identities }: { readonly names: NamesOfTests; readonly identities: Identities },
): Occurrence[] {
  const entryMatches = entries.map((entry) => isMatchingEntry(filter, entry));
  return events.series.flatMap((series, place): Occurrence[] => {
    const index = events.entry[place] ?? 0;
    const entry = entries[index];
    if (!entry || !entryMatches[index]) return [];
    const { branch, runId, createdAt, tags } = entry;
    if (filter.tags.length > 0 && !hasMatchingTags(filter, [...tags, ...names.series(series)[2]])) return [];
    const [message, target, action, category] = events.errors[events.error[place] ?? 0] ?? NO_ERROR;
    return [{ ...identities(series), message, target, action, category, branch, runId, createdAt }];
  });
}

const NO_ERROR = ['', null, null, null] as const;
