/** Writes log lines in Lambda's JSON format, such as one per request, with ids but no headers or bodies. */
import { type ApiActor, getCredentialId } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { getRequestId, type ProxyEvent } from '#shared/engine/http/event.ts';
import type { Meter } from '#shared/engine/table/meter.ts';

interface RequestLine {
  readonly operationId: string;
  readonly event: Pick<ProxyEvent, 'requestContext'>;
  readonly statusCode: number;
  readonly actor?: ApiActor | undefined;
  /** The account of the signed-in person who requested the page. */
  readonly accountId?: string | undefined;
  readonly meter?: Meter | undefined;
  readonly error?: unknown;
}

export function logRequest({ operationId, event, statusCode, actor, accountId, meter, error }: RequestLine): void {
  const line: Record<string, unknown> = { message: 'request', operationId, requestId: getRequestId(event), statusCode };
  if (actor) {
    const { kind, organizationId } = actor;
    Object.assign(line, { actor: kind, organizationId, credentialId: getCredentialId(actor) });
  }
  if (accountId !== undefined) Object.assign(line, { actor: 'person', accountId });
  if (meter) Object.assign(line, countUsage(meter));
  if (error === undefined) console.info(line);
  else if (error instanceof ApiError) console.info({ ...line, error: error.message });
  else console.error({ ...line, error: describeError(error) });
}

const countUsage = ({ readUnits, writeUnits, trips }: Meter) => ({ readUnits, writeUnits, trips });

/**
 * Logs work that failed. A failed queue message is delivered again by SQS, and finally goes to the dead-letter queue. A
 * failed stream record is delivered again by Lambda, together with all later records. `not done`: an error made an
 * invocation of a scheduled function skip some work. `work` says what failed.
 */
export function logFailure(
  message: 'message failed' | 'record failed' | 'not done',
  work: object,
  error: unknown,
): void {
  console.error({ message, ...work, error: describeError(error) });
}

export function logNotes(message: 'message handled' | 'record handled', work: object, notes: readonly object[]): void {
  for (const note of notes) console.info({ message, ...work, ...note });
}

/** infra/constructs/scheduled-function.ts defines metrics for the properties of the report. */
export function logRun({ meter, report, ...run }: ScheduledRun): void {
  console.info({ message: 'run', ...run, ...report, ...countUsage(meter) });
}

interface ScheduledRun {
  readonly schedule: string;
  readonly scheduledTime: string | undefined;
  readonly correlationId: string;
  readonly report: object;
  readonly meter: Meter;
}

/**
 * Crossings are at 80 % and at all of the requests for the month. Errors are those of the counts, which refuse no
 * request.
 */
export function logUsage({
  crossings,
  errors,
}: {
  readonly crossings: readonly object[];
  readonly errors: readonly unknown[];
}): void {
  for (const crossing of crossings) console.warn({ message: 'limit of requests', ...crossing });
  for (const error of errors) console.warn({ message: 'requests not counted', error: describeError(error) });
}

/** With its causes. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: String(error) };
  const { name, message, stack, cause } = error;
  const description = { name, message, stack };
  return cause === undefined ? description : { ...description, cause: describeError(cause) };
}
