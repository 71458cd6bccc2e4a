/** Lengths of time that every layer counts with. Days are those of UTC, which have no leap seconds here. */
export const DAY_SECONDS = 24 * 60 * 60;
export const DAY_MILLISECONDS = DAY_SECONDS * 1000;
