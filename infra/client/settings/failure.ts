/** A problem for the person at the terminal: what is wrong, and the next step. */
export class CommandFailure extends Error {
  override name = 'Failure';
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** A mistake on the command line. */
export class UsageFailure extends CommandFailure {
  override name = 'UsageFailure';
}

/** The service does not know what the request names, or does not show it to this key. */
export class NotFound extends CommandFailure {
  override name = 'NotFound';
}

/** The service refused a file. It may still accept other files. */
export class RefusedFile extends CommandFailure {
  override name = 'RefusedFile';
}

export const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The reason for a network error, preferably the error code of the system, such as ECONNREFUSED. */
export const describeNetworkProblem = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause
    ? String(error.cause.code)
    : getErrorMessage(error);

/** A redirected request has lost its key, because another host must not get it. */
export const describeRedirect = ({ redirected, url }: Response): string | undefined =>
  redirected ? `The address redirects to ${new URL(url).origin}: set that of the service itself` : undefined;
