/**
 * The facts about one group of an ended run, from which the read model is built. Immutable: if the facts change, they
 * are stored under a new digest. Access pattern: by group and digest.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { type Part, partKey, splitParts } from '#shared/engine/table/parts.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import { runPartition, WITH_RUN } from '#shared/model/runs/run.ts';

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
  patterns: [
    {
      question: 'Facts of a group of an ended run',
      key: 'pk = RUN#org#run, sk = FACTS#group#digest#kind#part',
    },
  ],
  key: (of) => ({
    pk: runPartition(of),
    sk: composed('FACTS', of.groupId, of.factsDigest, of.kind, partKey(of.part)),
  }),
  store: attributesOf,
  load: stored,
};

export const splitFacts = (of: FactsOf & Expiring, value: object): FactsPart[] =>
  splitParts(value, 0).map((part) => ({ ...part, ...of }));
