/** One structured line per request: Lambda's JSON log format writes the object as it is. Never a header, a body or a credential: ids only. */
import { type Caller, credentialIdOf } from './credentials/caller.ts';
import { ApiError } from './errors.ts';
import type { ProxyEvent } from './http/event.ts';
import type { Meter } from './table/meter.ts';

interface RequestLine {
  readonly operationId: string;
  readonly event: ProxyEvent;
  readonly statusCode: number;
  readonly caller?: Caller | undefined;
  readonly meter?: Meter | undefined;
  readonly error?: unknown;
}

export function logRequest({ operationId, event, statusCode, caller, meter, error }: RequestLine): void {
  const line = {
    message: 'request',
    operationId,
    requestId: event.requestContext.requestId,
    statusCode,
    ...(caller
      ? { caller: caller.kind, organizationId: caller.organizationId, credentialId: credentialIdOf(caller) }
      : {}),
    ...(meter ? { readUnits: meter.readUnits, writeUnits: meter.writeUnits, trips: meter.trips } : {}),
  };
  if (error === undefined || error instanceof ApiError) {
    console.info({ ...line, ...(error ? { error: error.message } : {}) });
  } else {
    console.error({ ...line, error: faultOf(error) });
  }
}

/** A message of a queue that could not be handled; it comes again, and ends in the dead-letter queue. */
export function logMessage({
  consumer,
  messageId,
  error,
}: {
  consumer: string;
  messageId: string;
  error: unknown;
}): void {
  console.error({ message: 'message failed', consumer, messageId, error: faultOf(error) });
}

/** A row of the table's stream that could not be handled; it comes again, with those behind it. */
export function logRecord({
  error,
  ...record
}: {
  stream: string;
  sequenceNumber: string | undefined;
  error: unknown;
}): void {
  console.error({ message: 'record failed', ...record, error: faultOf(error) });
}

/** What a stream's function has to tell of a row it handled. */
export function logRow({ note, ...row }: { stream: string; sequenceNumber: string | undefined; note: object }): void {
  console.info({ message: 'record handled', ...row, ...note });
}

/** What a scheduled run could not do, and went on without. */
export function logFault({ error, ...run }: { schedule: string; error: unknown }): void {
  console.error({ message: 'not done', ...run, error: faultOf(error) });
}

/** What a scheduled run did. Metrics are made of its members: infra/constructs/scheduled-function.ts. */
export function logRun({
  meter: { readUnits, writeUnits, trips },
  report,
  ...run
}: {
  schedule: string;
  scheduledTime: string;
  report: object;
  meter: Meter;
}): void {
  console.info({ message: 'run', ...run, ...report, readUnits, writeUnits, trips });
}

/** What a consumer has to tell of a message it handled. */
export function logNote({ consumer, messageId, note }: { consumer: string; messageId: string; note: object }): void {
  console.info({ message: 'message handled', consumer, messageId, ...note });
}

/** Name, message and stack of an error and of what caused it. */
function faultOf(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: String(error) };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: faultOf(cause) }) };
}
