/** Writes log lines in Lambda's JSON format, such as one per request, with ids but no headers or bodies. */
import { type ApiActor, getCredentialId } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { ProxyEvent } from '#shared/engine/http/event.ts';
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
  const line = {
    message: 'request',
    operationId,
    requestId: event.requestContext.requestId,
    statusCode,
    ...(actor ? { actor: actor.kind, organizationId: actor.organizationId, credentialId: getCredentialId(actor) } : {}),
    ...(accountId === undefined ? {} : { actor: 'person', accountId }),
    ...(meter ? { readUnits: meter.readUnits, writeUnits: meter.writeUnits, trips: meter.trips } : {}),
  };
  if (error === undefined || error instanceof ApiError) {
    console.info({ ...line, ...(error ? { error: error.message } : {}) });
  } else {
    console.error({ ...line, error: describeError(error) });
  }
}

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
export function logRun({
  meter: { readUnits, writeUnits, trips },
  report,
  ...run
}: {
  schedule: string;
  scheduledTime: string | undefined;
  report: object;
  meter: Meter;
}): void {
  console.info({ message: 'run', ...run, ...report, readUnits, writeUnits, trips });
}

/** At 80 % and at all of the requests for the month. */
export function logCrossings(crossings: readonly object[]): void {
  for (const crossing of crossings) console.warn({ message: 'limit of requests', ...crossing });
}

/** With its causes. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}
