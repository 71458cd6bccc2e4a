/** §6 The response of a receiver. Its error and text are safe to store and to show. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { refuseIntricate } from '#shared/engine/http/json-cost.ts';
import { RefusedAddress } from './guarded-lookup.ts';
import { SENDING_LIMITS } from './limits.ts';

export interface ReceiverAnswer {
  /** `null` if there was no response. */
  readonly statusCode: number | null;
  /** `null` if the request succeeded. */
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly text: string | null;
  readonly retryAfter?: string | undefined;
  readonly headers?: IncomingHttpHeaders;
}

export interface AnswerBytes {
  /** The maximum number of bytes to read. After this many bytes, the connection is closed. */
  readonly read: number;
  readonly kept: number;
}

const OF_DELIVERIES: AnswerBytes = {
  read: SENDING_LIMITS.deliveryAnswerBytes,
  kept: SENDING_LIMITS.deliveryAnswerKeptBytes,
};

export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded';
}

export const makeErrorAnswer = (error: string): ReceiverAnswer => ({ statusCode: null, error, text: null });

/** Reads the response without decompressing its body. Closes the connection if the body reaches the byte limit. */
export async function readAnswer(
  response: IncomingMessage,
  deadline: AbortSignal,
  limit: AnswerBytes = OF_DELIVERIES,
): Promise<ReceiverAnswer> {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let failure = '';
  try {
    for await (const part of response) {
      if (bytes < limit.kept) chunks.push(Buffer.from(part.subarray(0, limit.kept)));
      bytes += part.length;
      if (bytes >= limit.read) break;
    }
  } catch (error) {
    // When the deadline destroys the stream, the error is about a lost connection, so the reason is taken from the
    // deadline.
    failure = describeSendingError(deadline.aborted ? deadline.reason : error);
  }
  const text = decodeText(Buffer.concat(chunks).subarray(0, limit.kept), bytes > limit.kept);
  const error = findStatusProblem(statusCode) ?? (failure === '' ? null : failure);
  return { statusCode, error, text, retryAfter: headers['retry-after'], headers };
}

/** Whether the status means success. The response can still have an error, because its body may be incomplete. */
export const isSuccess = (statusCode: number): boolean => statusCode >= 200 && statusCode < 300;

/**
 * The body as JSON. `undefined` if it is not JSON, is too long, or would take much more memory than it has bytes, as
 * millions of nested lists do. The functions that read answers serve all organizations.
 */
export function parseAnswerJson({ text }: ReceiverAnswer): unknown {
  const body = text ?? '';
  try {
    refuseIntricate(Buffer.from(body));
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function findStatusProblem(statusCode: number): string | undefined {
  if (isSuccess(statusCode)) return undefined;
  const hint =
    statusCode >= 300 && statusCode < 400
      ? '. Redirects are not followed: enter the URL that the redirect leads to'
      : '';
  return `The receiver answered ${statusCode}${hint}`;
}

/**
 * Drops an incomplete character at the end. Replaces control and format characters, because they could control a
 * terminal or hide text.
 */
const decodeText = (bytes: Buffer, isCut: boolean): string =>
  new TextDecoder()
    .decode(bytes, { stream: isCut })
    .replaceAll(/[\t\n\r]/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** Uses error codes, because the messages of the system contain internal addresses. */
export function describeSendingError(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  if (error instanceof DeadlineExceeded) {
    return `The receiver did not complete its response within ${SENDING_LIMITS.deliveryMilliseconds / 1000} seconds`;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ENOTFOUND'
    ? "The receiver's host name does not exist"
    : `The connection failed (${code || 'closed'})`;
}
