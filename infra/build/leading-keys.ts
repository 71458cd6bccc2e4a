import type { RowKind } from '#shared/engine/table/entity.ts';

const PARTITION = /^pk = ([A-Z]+)(#|,)/;

/** The `dynamodb:LeadingKeys` patterns that match exactly the partition keys of these row kinds. */
export function listLeadingKeys(kinds: readonly RowKind[]): string[] {
  const keys = kinds.flatMap(({ type, patterns }) =>
    patterns.map(({ key }) => {
      const [, name, delimiter] = PARTITION.exec(key) ?? [];
      if (name === undefined)
        throw new Error(
          `"${type}": the pattern "${key}" must begin with a name in capitals, such as "pk = NAME#..." or "pk = NAME, ..."`,
        );
      return delimiter === '#' ? `${name}#*` : name;
    }),
  );
  return [...new Set(keys)].sort();
}
