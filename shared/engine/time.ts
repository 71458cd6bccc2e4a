/** Durations and times in milliseconds. */

export const DAY_MILLISECONDS = 24 * 3_600_000;

/** Whether `Date` can hold a time in epoch milliseconds. Reporters may send any number. */
export const isValidTime = (milliseconds: number): boolean => !Number.isNaN(new Date(milliseconds).getTime());
