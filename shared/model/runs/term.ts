/** A value that runs of a project used, such as a branch or a tag. Access pattern: all values of a type. */
import { beginningWith, type Entity, type Span } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

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

interface TermKey {
  readonly organizationId: string;
  readonly projectId: string;
  readonly termType: TermType;
  readonly value: string;
}

export interface Term extends TermKey {
  /**
   * Creation time of a run that used the value, in epoch milliseconds. Further uses within an hour after this time are
   * not stored.
   */
  readonly lastUsedAt: number;
  /** TTL in epoch seconds, a year after the last use. */
  readonly expiresAt: number;
}

const partition = ({ organizationId, projectId, termType }: Omit<TermKey, 'value'>): string =>
  composed('TERMS', organizationId, projectId, termType);

export const terms: Entity<TermKey, Term> = {
  type: 'term',
  guarded: false,
  // Terms are kept even after the runs that used them are removed.
  removal: 'apart',
  patterns: [{ question: 'Terms of a project by type', key: 'pk = TERMS#org#project#type, sk = TERM#value' }],
  key: (term) => ({ pk: partition(term), sk: composed('TERM', term.value) }),
  store: attributesOf,
  load: stored,
};

export const termsSpan = (of: Omit<TermKey, 'value'>): Span => beginningWith(partition(of), prefix('TERM'));
