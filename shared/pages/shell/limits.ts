import { DAY } from '#shared/pages/design/time-units.ts';

/** Rows per page of a list. */
export const PAGE_ROWS = 50;

/** Runs per page of the list of runs. */
export const LIST_RUNS = 25;

/** How many lines of a long text are shown initially. The remaining lines can be expanded. */
export const OPEN_LINES = 60;

/** The number of latest executions that the page of one test in a run reads for its strip. */
export const STRIP_EXECUTIONS = 40;

/** Default period of pages that show results over time, in days, including today. */
export const LIST_DAYS = 14;

/** Insights per hour are shown for periods of at most this many days. */
export const HOURLY_DAYS = 7;

/** Tests with fewer executions are hidden by default, because their rates are not meaningful. */
export const LEAST_EXECUTIONS = 5;

/** Tokens that expire within this time are marked “expires soon”. */
export const EXPIRING_MILLISECONDS = 7 * DAY;

/** Maximum size of a file that a form can send. Lambda accepts 6 MB including the base64 encoding. */
export const FORM_BYTES = 4 * 1024 * 1024;
