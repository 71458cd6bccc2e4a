/** §6 What came of a request, in words and numbers that are safe to keep and to show. */
import type { IncomingMessage } from 'node:http';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { RefusedAddress } from './guarded-lookup.ts';

export interface Answer {
  /** `null` where none came. */
  readonly statusCode: number | null;
  /** `null` for a success. */
  readonly error: string | null;
  /** Of the body, the beginning. */
  readonly text: string | null;
  readonly retryAfter?: string | undefined;
}

export class TimeUp extends Error {
  override name = 'TimeUp';
}

export const withoutAnswer = (error: string): Answer => ({ statusCode: null, error, text: null });

/** Reads the bytes as they are, not inflated, and no more than are wanted; the rest is cut off with the connection. */
export async function readAnswer(response: IncomingMessage, deadline: AbortSignal): Promise<Answer> {
  const { statusCode = 0, headers } = response;
  const kept: Buffer[] = [];
  let [bytes, broken] = [0, ''];
  try {
    for await (const part of response) {
      if (bytes < WEBHOOK_LIMITS.deliveryAnswerKeptBytes)
        kept.push(Buffer.from(part.subarray(0, WEBHOOK_LIMITS.deliveryAnswerKeptBytes)));
      bytes += part.length;
      if (bytes >= WEBHOOK_LIMITS.deliveryAnswerBytes) break;
    }
  } catch (error) {
    // What ends a stream in time is told of it as a lost connection.
    broken = wordsFor(deadline.aborted ? deadline.reason : error);
  }
  const text = textOf(Buffer.concat(kept).subarray(0, WEBHOOK_LIMITS.deliveryAnswerKeptBytes));
  const error = problemOfStatus(statusCode) ?? (broken === '' ? null : broken);
  return { statusCode, error, text, retryAfter: headers['retry-after'] };
}

function problemOfStatus(statusCode: number): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const hint =
    statusCode >= 300 && statusCode < 400 ? '. Redirects are not followed: save the URL that it leads to' : '';
  return `The receiver answered ${statusCode}${hint}`;
}

/** A character that the cut went through is left out; what could steer a terminal or hide something is replaced. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder()
    .decode(bytes, { stream: bytes.length === WEBHOOK_LIMITS.deliveryAnswerKeptBytes })
    .replaceAll(/[\t\n\r]/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** By their codes: the messages of the system name addresses inside this network. */
export function wordsFor(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  if (error instanceof TimeUp) {
    return `The receiver did not finish its answer within ${WEBHOOK_LIMITS.deliveryMilliseconds / 1000} seconds`;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ENOTFOUND' ? 'The name of the receiver is not known' : `The connection failed (${code || 'closed'})`;
}
