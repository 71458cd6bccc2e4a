/** A count with its noun, as `1 test` or `2 tests`. */
export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
