/**
 * Assigns a number to each test and spec file in the read model of a project: the position of its name in a list. Names
 * are only added at the end of a list, so the number of a name never changes. Access pattern: all names of a kind, in
 * order.
 */
import { type Entity, getPrefixSpan, type Span } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

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
const formatRowKey = (row: number): string => String(row).padStart(ROW_DIGITS, '0');

const getPartition = ({ organizationId, projectId }: NamesList) => composeKey('NAMES', organizationId, projectId);

export const analyticsNames: Entity<NamesKey, NamesRow> = {
  type: 'analytics names',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Numbers of the tests or spec files of a project' }],
  key: (names) => ({ pk: getPartition(names), sk: composeKey(names.kind, formatRowKey(names.row)) }),
  store: toAttributes,
  load: loadAttributes,
};

/** The rows of a list of names, starting with the row number `row`. */
export const getNamesSpan = (key: NamesList, row = 0): Span => ({
  ...getPrefixSpan(getPartition(key), composePrefix(key.kind)),
  from: composeKey(key.kind, formatRowKey(row)),
});
