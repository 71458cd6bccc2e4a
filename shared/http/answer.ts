/** Answers on their way out: §7's body for errors, gzip where it is welcome, and 413 before Lambda would turn it into a 502. */
import { gzipSync } from 'node:zlib';
import { ApiError, answerTooLarge, INTERNAL_ERROR_MESSAGE } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { acceptsGzip } from './accept.ts';

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const JSON_TYPE = 'application/json';
const headersOf = (contentType: string) => ({
  'Content-Type': contentType,
  'Cache-Control': 'no-store',
  Vary: 'Accept-Encoding',
});

/** What a handler answers with instead of a JSON body. */
export class Markdown {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** How much an answer may be, and what is said of one that is more. */
export interface AnswerLimit {
  /** As sent: after compression. */
  readonly bytes: number;
  readonly refusal: () => ApiError;
}

export function answerWith(
  statusCode: number,
  body: unknown,
  acceptEncoding: string,
  { headers = {}, limit }: { headers?: Answer['headers']; limit?: AnswerLimit | undefined } = {},
): Answer {
  const isMarkdown = body instanceof Markdown;
  const text = isMarkdown ? body.text : JSON.stringify(body);
  const answer = acceptsGzip(acceptEncoding) ? gzipped(text) : { body: text, isBase64Encoded: false, headers: {} };
  const sentBytes = Buffer.byteLength(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8');
  if (limit && sentBytes > limit.bytes) throw limit.refusal();
  const contentType = isMarkdown ? 'text/markdown; charset=utf-8' : JSON_TYPE;
  const whole = { statusCode, ...answer, headers: { ...headersOf(contentType), ...answer.headers, ...headers } };
  // Lambda measures the serialized envelope, in which every quote of the body is escaped once more.
  if (Buffer.byteLength(JSON.stringify(whole)) > LIMITS.answerEnvelopeBytes) throw (limit?.refusal ?? answerTooLarge)();
  return whole;
}

function gzipped(text: string): Pick<Answer, 'body' | 'isBase64Encoded' | 'headers'> {
  if (Buffer.byteLength(text) < LIMITS.gzipFromBytes) return { body: text, isBase64Encoded: false, headers: {} };
  return { body: gzipSync(text).toString('base64'), isBase64Encoded: true, headers: { 'Content-Encoding': 'gzip' } };
}

/** The shape in which `@middy/http-error-handler` sends an error: `message` is the body. */
export interface HttpError {
  readonly statusCode: number;
  readonly message: string;
  readonly expose: true;
  readonly headers: Readonly<Record<string, string>>;
}

/** §7. Anything that is not a refusal of ours tells the outside nothing but where to look. */
export function errorAnswer(error: unknown, requestId: string): HttpError {
  const known = error instanceof ApiError ? error : undefined;
  const { code, headers = {}, body = {} } = known?.details ?? {};
  const text = known
    ? { status: 'FAILED', error: known.message, ...(code ? { code } : {}), ...body }
    : { status: 'FAILED', error: INTERNAL_ERROR_MESSAGE, requestId };
  return {
    statusCode: known?.statusCode ?? 500,
    message: JSON.stringify(text),
    expose: true,
    headers: { ...headersOf(JSON_TYPE), 'x-request-id': requestId, ...headers },
  };
}
