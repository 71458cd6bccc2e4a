/** Reads the facts (aggregates) of run groups. */
import { type FactsKind, type FactsPart, factsParts, joinFacts } from '#shared/model/analytics/facts.ts';
import type { CoreServices } from '#shared/services.ts';
import type { PendingEntry } from './entry.ts';
import type { AnalyticsScope } from './read-model.ts';

/**
 * Reads the facts of each entry, in the order of the entries. The facts of an entry are `undefined` if the data of its
 * run expired or was deleted.
 */
export async function readFacts<Value extends object>(
  services: Pick<CoreServices, 'table'>,
  scope: AnalyticsScope,
  entries: readonly PendingEntry[],
  kind: FactsKind,
): Promise<(Value | undefined)[]> {
  const first = await factsOf<Value>(services, scope, entries, kind, false);
  const missing = entries.filter((_, index) => first[index] === undefined);
  if (missing.length === 0) return first;
  // An eventually consistent read may miss new rows, so missing rows are read again with a consistent read.
  const again = await factsOf<Value>(services, scope, missing, kind, true);
  const found = new Map(missing.map((entry, index) => [entry, again[index]]));
  return entries.map((entry, index) => first[index] ?? found.get(entry));
}

async function factsOf<Value extends object>(
  { table }: Pick<CoreServices, 'table'>,
  { organizationId }: AnalyticsScope,
  entries: readonly PendingEntry[],
  kind: FactsKind,
  consistent: boolean,
): Promise<(Value | undefined)[]> {
  const keys = entries.map(({ runId, groupId, digest: factsDigest, sizes }) =>
    Array.from({ length: sizes[kind].parts }, (_, part) => ({
      organizationId,
      runId,
      groupId,
      factsDigest,
      kind,
      part,
    })),
  );
  const rows = await table.getMany(factsParts, keys.flat(), { consistent });
  let next = 0;
  return keys.map((own) => {
    const parts = rows.slice(next, next + own.length);
    next += own.length;
    return joinFacts<Value>(parts.filter((part): part is FactsPart => part !== undefined));
  });
}
