/** Whether the filter is absent or contains at least one of the values. The value `null` never matches. */
export const hasAny = (filter: readonly string[] | undefined, values: readonly (string | null)[]): boolean =>
  filter === undefined || values.some((value) => value !== null && filter.includes(value));

/** Whether the filter is absent, or all of its tags (with `OR`, any of them) are among the tags. */
export const hasTags = (
  filter: readonly string[] | undefined,
  operator: 'AND' | 'OR',
  tags: readonly string[],
): boolean => (operator === 'OR' ? hasAny(filter, tags) : (filter ?? []).every((tag) => tags.includes(tag)));
