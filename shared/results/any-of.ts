/** Whether the filter is absent or contains at least one of the values. The value `null` never matches. */
export const anyOf = (wanted: readonly string[] | undefined, has: readonly (string | null)[]): boolean =>
  wanted === undefined || has.some((value) => value !== null && wanted.includes(value));

/** Whether the filter is absent, or all of its tags (with `OR`, any of them) are among the tags. */
export const hasTags = (
  wanted: readonly string[] | undefined,
  operator: 'AND' | 'OR',
  has: readonly string[],
): boolean => (operator === 'OR' ? anyOf(wanted, has) : (wanted ?? []).every((tag) => has.includes(tag)));
