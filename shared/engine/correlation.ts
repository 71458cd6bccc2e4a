/**
 * The id of the request, or of the run of a schedule, that caused a piece of work. It travels with events and jobs, so
 * that one search in the logs finds all of it. Rows and messages of earlier releases lack it.
 */
export interface Correlation {
  readonly correlationId?: string | undefined;
}

/** Without a member if there is no id. */
export const pickCorrelation = ({ correlationId }: Correlation): Correlation =>
  correlationId === undefined ? {} : { correlationId };
