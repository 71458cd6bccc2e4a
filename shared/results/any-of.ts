/** Whether a filter has no value, or one of the values that are not null. */
export const anyOf = (wanted: readonly string[] | undefined, has: readonly (string | null)[]): boolean =>
  wanted === undefined || has.some((value) => value !== null && wanted.includes(value));
