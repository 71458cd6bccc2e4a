/** Declares what an import may set in rows of one kind, and finds what it must not set. */
import { inflateRawSync } from 'node:zlib';
import type { Attributes, Entity } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { type AttributeCheck, absent } from './attribute-checks.ts';
import type { Row } from './table-scan.ts';

type NamesOf<Item> = Item extends Item ? keyof Item : never;

export interface Importable {
  readonly type: string;
  /** `leftOut`: no archive contains such rows. `people`: the import makes the row itself, from the content of this one. */
  readonly kind: 'rows' | 'people' | 'leftOut';
  /** Returns what is wrong with a row, as the end of a sentence that begins with the row. */
  readonly problemIn: (row: Row, now: number) => string | undefined;
  /** Returns the attributes that an import may set. Rows of earlier versions may have others, which nothing reads. */
  readonly pickImportable: (attributes: Attributes) => Attributes;
  /** Attributes that an imported row gets, whatever the archive says. */
  readonly sets?: (row: Row) => Attributes;
  /** The row to which a row of this kind leads. Its key does not contain the organization. */
  readonly leadsTo?: (row: Row) => TableKey;
}

/** Kinds of rows of which an import may set these attributes, and no others. */
export function allowAttributes<Key, Item extends Key & object>(
  entity: Entity<Key, Item>,
  checks: Readonly<Record<NamesOf<Item>, AttributeCheck>>,
  details: Partial<Pick<Importable, 'kind' | 'sets' | 'leadsTo'>> = {},
): Importable {
  const attributeChecks = new Map<string, AttributeCheck>(Object.entries(checks));
  return {
    type: entity.type,
    kind: 'rows',
    ...details,
    pickImportable: (attributes) =>
      Object.fromEntries(
        Object.entries(attributes).filter(([name]) => (attributeChecks.get(name) ?? absent) !== absent),
      ),
    problemIn: ({ pk, sk, ...attributes }, now) => {
      const unknown = Object.keys(attributes).find((name) => !attributeChecks.has(name));
      if (unknown !== undefined) return `has the attribute ${unknown}, which an import does not set`;
      for (const [name, check] of attributeChecks)
        if (!check(attributes[name], now)) return `has a value of ${name} that an import does not set`;
      return findRowProblem(entity, { pk, sk, ...attributes });
    },
  };
}

/**
 * Kinds of rows of which an import may set all attributes, because they give no power: what tests have recorded, what
 * was computed from it, rules, known issues, and work that is due. The service looks up everything that such a row names
 * within the organization.
 */
export const allowAllAttributes = <Key, Item extends Key>(
  entity: Entity<Key, Item>,
  /** The names of objects in the bucket that the row leads to. */
  objectsIn: (item: Item) => readonly (string | undefined)[] = () => [],
  details: Pick<Importable, 'sets'> = {},
): Importable => ({
  type: entity.type,
  kind: 'rows',
  ...details,
  pickImportable: (attributes) => attributes,
  problemIn: (row) => {
    const problem = findRowProblem(entity, row);
    if (problem !== undefined) return problem;
    const isObject = (name: string | undefined) => name === undefined || OBJECT_NAME.test(name);
    return objectsIn(entity.load(row)).every(isObject) ? undefined : 'leads to a file of another organization';
  },
});

/** The last part of the key of an object, which cannot lead out of a folder. */
const OBJECT_NAME = /^[0-9A-Za-z_-]+$/;

export const leaveOut = ({ type }: { readonly type: string }): Importable => ({
  type,
  kind: 'leftOut',
  pickImportable: () => ({}),
  problemIn: () => 'is of a kind that no archive contains',
});

/** What is wrong with the row as a whole: with its size or its key. */
function findRowProblem<Key, Item extends Key>(entity: Entity<Key, Item>, row: Row): string | undefined {
  if (Object.values(row).some(isUnpackedTooLarge)) return 'unpacks to more than any row of an export';
  return isOwnKey(entity, row) ? undefined : FOREIGN;
}

export const FOREIGN = 'belongs to another organization, or has a key that does not match its content';

/** The service finds a row by its key, and then trusts its content. */
function isOwnKey<Key, Item extends Key>(entity: Entity<Key, Item>, row: Row): boolean {
  try {
    const { pk, sk } = entity.key(entity.load(row));
    return pk === row.pk && sk === row.sk;
  } catch {
    return false;
  }
}

const UNPACKED_BYTES = 32 * 1024 * 1024;

/** Reading a row unpacks its compressed values. A small value may unpack to so much that it exhausts the memory. */
function isUnpackedTooLarge(value: unknown): boolean {
  if (!(value instanceof Uint8Array)) return false;
  try {
    inflateRawSync(value, { maxOutputLength: UNPACKED_BYTES });
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}
