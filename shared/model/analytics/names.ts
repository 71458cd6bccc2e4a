/**
 * Assigns a number to each test and spec file in the read model of a project: the position of its name in a list. Names
 * are only added at the end of a list, so the number of a name never changes. Access pattern: all names of a kind, in
 * order.
 */
import { beginningWith, type Entity, type Span } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

export interface NamesList {
  readonly organizationId: string;
  readonly projectId: string;
  readonly kind: 'SPEC' | 'TEST';
}

type NamesKey = NamesList & { readonly row: number };

export interface NamesRow extends NamesKey {
  /** The number of names in the row, for conditional writes of the last row. */
  readonly count: number;
  readonly packed: Uint8Array;
}

const ROW_DIGITS = 4;
const rowKey = (row: number): string => String(row).padStart(ROW_DIGITS, '0');

const partition = ({ organizationId, projectId }: NamesList) => composed('NAMES', organizationId, projectId);

export const analyticsNames: Entity<NamesKey, NamesRow> = {
  type: 'analytics names',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Numbers of the tests or spec files of a project', key: 'pk = NAMES#org#project, sk = kind#row' },
  ],
  key: (of) => ({ pk: partition(of), sk: composed(of.kind, rowKey(of.row)) }),
  store: attributesOf,
  load: stored,
};

/** The rows of a list of names, starting with the row number `row`. */
export const namesSpan = (of: NamesList, row = 0): Span => ({
  ...beginningWith(partition(of), prefix(of.kind)),
  from: composed(of.kind, rowKey(row)),
});
