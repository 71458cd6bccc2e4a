/** Builds Lambda proxy responses. Oversized ones become a 413, because Lambda would turn them into a 502. */
import { gzipSync } from 'node:zlib';
import { ApiError, answerTooLarge, INTERNAL_ERROR_MESSAGE } from '#shared/engine/errors.ts';
import { acceptsGzip } from './accept.ts';
import { Content } from './content.ts';
import { ANSWER_LIMITS } from './limits.ts';

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** API Gateway sends one header line per value. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const JSON_TYPE = 'application/json';
const makeHeaders = (contentType: string) => ({
  'Content-Type': contentType,
  'Cache-Control': 'no-store',
  Vary: 'Accept-Encoding',
});

/** The size limit of a response, and the texts of the 413 that replaces a larger response. */
export interface AnswerLimit {
  readonly what: string;
  /** After compression. Default: the limit of Lambda. */
  readonly bytes?: number;
  /** What the client can do to get a smaller response. */
  readonly remedies: readonly string[];
}

interface Framing {
  readonly statusCode: number;
  readonly acceptEncoding: string;
  readonly headers?: HttpAnswer['headers'];
  readonly limit: AnswerLimit;
}

/** Every result that is not a `Content` is sent as JSON. */
export function answerResult(
  result: unknown,
  { statusCode, acceptEncoding, headers = {}, limit }: Framing,
): HttpAnswer {
  const content = result instanceof Content ? result : new Content('json', JSON_TYPE, JSON.stringify(result));
  const takesGzip = acceptsGzip(acceptEncoding);
  const encodedBody = encodeContent(content, takesGzip);
  // Binary responses are never compressed.
  const wouldShrink = !takesGzip && typeof content.body === 'string';
  const remedies = wouldShrink ? [GZIP, ...limit.remedies] : limit.remedies;
  const sentBytes = Buffer.byteLength(encodedBody.body, encodedBody.isBase64Encoded ? 'base64' : 'utf8');
  if (limit.bytes !== undefined && sentBytes > limit.bytes) throw answerTooLarge(limit.what, remedies);
  const answer = {
    ...encodedBody,
    statusCode: content.statusCode ?? statusCode,
    headers: { ...makeHeaders(content.contentType), ...encodedBody.headers, ...headers, ...content.headers },
  };
  // API Gateway sends one header line per value.
  const { cookies } = content;
  const fullAnswer = cookies.length > 0 ? { ...answer, multiValueHeaders: { 'Set-Cookie': cookies } } : answer;
  if (isTooLargeForLambda(fullAnswer)) throw answerTooLarge(limit.what, remedies);
  return fullAnswer;
}

export const answerNotModified = (headers: HttpAnswer['headers']): HttpAnswer => ({
  statusCode: 304,
  headers,
  body: '',
  isBase64Encoded: false,
});

const GZIP = 'send `Accept-Encoding: gzip`';

function encodeContent(
  { body }: Content,
  takesGzip: boolean,
): Pick<HttpAnswer, 'body' | 'isBase64Encoded' | 'headers'> {
  if (typeof body !== 'string')
    return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true, headers: {} };
  if (!takesGzip || Buffer.byteLength(body) < ANSWER_LIMITS.gzipFromBytes)
    return { body, isBase64Encoded: false, headers: {} };
  return { body: gzipSync(body).toString('base64'), isBase64Encoded: true, headers: { 'Content-Encoding': 'gzip' } };
}

/** JSON escapes one UTF-16 code unit in at most six bytes, as in `\u0000`. */
const MAX_ESCAPED_BYTES = 6;

/** Lambda measures JSON, which escapes each quote once more. Exact only for responses that may be too large. */
function isTooLargeForLambda({ body, ...rest }: HttpAnswer): boolean {
  const others = Buffer.byteLength(JSON.stringify(rest)) + '"body":"",'.length;
  const available = ANSWER_LIMITS.answerEnvelopeBytes - others;
  if (rest.isBase64Encoded) return body.length > available;
  return (
    body.length * MAX_ESCAPED_BYTES > available && Buffer.byteLength(JSON.stringify(body)) - '""'.length > available
  );
}

/** The error shape that `@middy/http-error-handler` turns into a response: `message` is the body. */
export interface HttpError {
  readonly statusCode: number;
  readonly message: string;
  readonly expose: true;
  readonly headers: Readonly<Record<string, string>>;
}

/** §7 Explains only an `ApiError`. Other errors become a general message with the request id. `more`: headers. */
export function answerError(error: unknown, requestId: string, more: HttpAnswer['headers'] = {}): HttpError {
  const apiError = error instanceof ApiError ? error : undefined;
  const { code, headers = {}, body = {} } = apiError?.details ?? {};
  // JSON leaves out a code that is `undefined`.
  const text = apiError
    ? { status: 'FAILED', error: apiError.message, code: code || undefined, ...body }
    : { status: 'FAILED', error: INTERNAL_ERROR_MESSAGE, requestId };
  return {
    statusCode: apiError?.statusCode ?? 500,
    message: JSON.stringify(text),
    expose: true,
    headers: { ...makeHeaders(JSON_TYPE), 'x-request-id': requestId, ...more, ...headers },
  };
}
