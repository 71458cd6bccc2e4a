import { formatKeyPattern, type KeyedRowKind } from './key-patterns.ts';

/** The `dynamodb:LeadingKeys` patterns that match exactly the partition keys of these row kinds. */
export function listLeadingKeys(kinds: readonly KeyedRowKind[]): string[] {
  const keys = kinds.flatMap(({ type, patterns }) =>
    patterns.map((pattern) => {
      const [name = '', ...segments] = pattern.pk.split('#');
      if (!/^[A-Z]+$/.test(name))
        throw new Error(
          `"${type}": the pattern "${formatKeyPattern(pattern)}" must begin with a name in capitals, such as "pk = NAME#..." or "pk = NAME, ..."`,
        );
      return segments.length > 0 ? `${name}#*` : name;
    }),
  );
  return [...new Set(keys)].sort();
}
