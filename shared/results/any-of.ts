/** Whether the filter is absent or contains at least one of the values. The value `null` never matches. */
export const anyOf = (wanted: readonly string[] | undefined, has: readonly (string | null)[]): boolean =>
  wanted === undefined || has.some((value) => value !== null && wanted.includes(value));
