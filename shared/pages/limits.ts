/** Rows of one page. More rows follow on the next page. */
export const PAGE_ROWS = 50;

/** Lines of an error message that are open. The rest is folded. */
export const OPEN_LINES = 60;

/** Executions in the strip of a test. */
export const STRIP_EXECUTIONS = 40;

/** Default period of a test's history, in days. */
export const HISTORY_DAYS = 30;

/** Default period of lists over time, in days, today included. */
export const LIST_DAYS = 14;

/** Tests with fewer executions say little. The explorer hides them by default. */
export const LEAST_EXECUTIONS = 5;

/** A token whose end is nearer than this expires soon. */
export const EXPIRING_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** The largest file that a form sends. A Lambda takes 6 MB with base64. */
export const FORM_BYTES = 4 * 1024 * 1024;
