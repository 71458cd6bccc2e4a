/** Collects the summaries and facts that answer one question. */
import type { FactsKind } from '#shared/model/analytics-facts.ts';
import type { CoreServices } from '#shared/services.ts';
import { currentEpoch } from './editions.ts';
import type { Entry } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { matchesEntry } from './filter.ts';
import { entriesOf, isWithin, newestOfRuns, readPending } from './pending-entries.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from './read-model.ts';

interface Collected<Value> {
  readonly edition: { readonly scope: AnalyticsScope; readonly epoch: number };
  readonly sources: readonly Source<Value>[];
}

/** Values of groups with the same run and group tags. The caller filters tests by their own tags. */
export interface Source<Value> {
  readonly tags: readonly string[];
  readonly values: readonly Value[];
  /** The groups of the values, in the same order. */
  readonly entries: readonly Entry[];
}

export async function collect<Value extends object>(
  services: Pick<CoreServices, 'table'>,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
  kind: FactsKind,
): Promise<Collected<Value>> {
  const edition = { scope, epoch: await currentEpoch(services, scope) };
  const entries = await collectEntries(services, scope, period);
  const wanted = entries.filter((entry) => matchesEntry(filter, entry));
  const values = await readFacts<Value>(services, edition, wanted, kind);
  const sources = wanted.flatMap((entry, index): Source<Value>[] => {
    const value = values[index];
    return value ? [{ tags: entry.tags, values: [value], entries: [entry] }] : [];
  });
  return { edition, sources };
}

export async function collectEntries(
  services: Pick<CoreServices, 'table'>,
  scope: AnalyticsScope,
  period: Period,
): Promise<Entry[]> {
  const pending = await readPending(services, scope, period);
  return entriesOf(newestOfRuns(pending)).filter((entry) => isWithin(period, entry));
}
