/** Reads the facts (aggregates) of run groups. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { type FactsKind, factsParts } from '#shared/model/analytics/facts.ts';
import type { PendingEntry } from './entry.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readParts } from './read-parts.ts';

/** In the order of the entries. The facts are `undefined` if the data of the run expired or was deleted. */
export const readFacts = <Value extends object>(
  services: WithTable,
  { organizationId }: AnalyticsScope,
  entries: readonly PendingEntry[],
  kind: FactsKind,
): Promise<(Value | undefined)[]> =>
  readParts(
    services,
    factsParts,
    entries.map(({ runId, groupId, digest: factsDigest, sizes }) =>
      Array.from({ length: sizes[kind].parts }, (_, part) => ({
        organizationId,
        runId,
        groupId,
        factsDigest,
        kind,
        part,
      })),
    ),
  );
