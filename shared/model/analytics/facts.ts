/** Facts about a group of an ended run, for the read model. Immutable: changed facts are stored under a new digest. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { formatPartKey, type Part, splitParts } from '#shared/engine/table/parts.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { getRunPartition, WITH_RUN } from '#shared/model/runs/run.ts';

/** `tests`: totals of tests. `rest`: totals of spec files, and the failed and flaky executions. */
export type FactsKind = 'tests' | 'rest';

export interface FactsOf {
  readonly organizationId: string;
  readonly runId: string;
  readonly groupId: string;
  /** A digest of the content of both kinds of facts. */
  readonly factsDigest: string;
  readonly kind: FactsKind;
}

export type FactsPart = FactsOf & Part & Expiring;

export const factsParts: Entity<FactsOf & Pick<FactsPart, 'part'>, FactsPart> & GoesWithRun = {
  type: 'analytics facts',
  guarded: false,
  removal: WITH_RUN,
  patterns: [{ question: 'Facts of a group of an ended run', of: { factsDigest: 'digest' } }],
  key: (row) => ({
    pk: getRunPartition(row),
    sk: composeKey('FACTS', row.groupId, row.factsDigest, row.kind, formatPartKey(row.part)),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const splitFacts = (key: FactsOf & Expiring, value: object): FactsPart[] =>
  splitParts(value, 0).map((part) => ({ ...part, ...key }));
