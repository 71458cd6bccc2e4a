/** A value that runs of a project used, such as a branch or a tag. */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';

export const TERM_TYPES = [
  'tag',
  'group',
  'branch',
  'authorName',
  'authorEmail',
  'framework',
  'frameworkVersion',
  'clientVersion',
  'ann_type',
  'ann_desc',
] as const;
export type TermType = (typeof TERM_TYPES)[number];

export interface TermKey {
  readonly organizationId: string;
  readonly projectId: string;
  readonly termType: TermType;
  readonly value: string;
}

export interface Term extends TermKey {
  /** When a run used it, in epoch milliseconds. Uses within an hour after this time are not stored. */
  readonly lastUsedAt: number;
  /**
   * Of a branch or an author: its executions are in the history from the first of these times up to, but excluding, the
   * second one, in epoch milliseconds. `known-terms.ts` tells of which executions this is true.
   */
  readonly recordedFrom?: number;
  readonly recordedUntil?: number;
  /** TTL in epoch seconds, a year after the last use. */
  readonly expiresAt: number;
}

/** In epoch seconds. `time` is in epoch milliseconds. */
export const computeTermExpiry = (time: number): number =>
  Math.ceil((time + MODEL_LIMITS.terms.keptMilliseconds) / 1000);

/** Nobody would pick a long text from a list. */
export const isTermValue = (value: string | null): value is string =>
  value !== null && value !== '' && value.length <= MODEL_LIMITS.terms.characters;

const getPartition = ({ organizationId, projectId, termType }: Omit<TermKey, 'value'>): string =>
  composeKey('TERMS', organizationId, projectId, termType);

export const terms: Entity<TermKey, Term> = {
  type: 'term',
  guarded: false,
  // Terms are kept even after the runs that used them are removed.
  removal: 'apart',
  patterns: [{ question: 'Terms of a project by type', of: { termType: 'type' } }],
  key: (term) => ({ pk: getPartition(term), sk: composeKey('TERM', term.value) }),
  store: toAttributes,
  load: loadAttributes,
};

export const getTermsSpan = (key: Omit<TermKey, 'value'>): Span =>
  getPrefixSpan(getPartition(key), composePrefix('TERM'));
