/** Answers on their way out: §7's body for errors, gzip where it is welcome, and 413 before Lambda would turn it into a 502. */
import { gzipSync } from 'node:zlib';
import { ApiError, answerTooLarge, INTERNAL_ERROR_MESSAGE } from '../errors.ts';
import { LIMITS } from '../limits.ts';

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Vary: 'Accept-Encoding' };

export function jsonAnswer(
  statusCode: number,
  body: unknown,
  acceptEncoding: string,
  headers: Answer['headers'] = {},
): Answer {
  const text = JSON.stringify(body);
  const answer = acceptsGzip(acceptEncoding) ? gzipped(text) : { body: text, isBase64Encoded: false, headers: {} };
  const whole = { statusCode, ...answer, headers: { ...JSON_HEADERS, ...answer.headers, ...headers } };
  // Lambda measures the serialized envelope, in which every quote of the body is escaped once more.
  if (Buffer.byteLength(JSON.stringify(whole)) > LIMITS.answerEnvelopeBytes) throw answerTooLarge();
  return whole;
}

function gzipped(text: string): Pick<Answer, 'body' | 'isBase64Encoded' | 'headers'> {
  if (Buffer.byteLength(text) < LIMITS.gzipFromBytes) return { body: text, isBase64Encoded: false, headers: {} };
  return { body: gzipSync(text).toString('base64'), isBase64Encoded: true, headers: { 'Content-Encoding': 'gzip' } };
}

/** RFC 9110 12.5.3: gzip or any, unless its weight is zero. */
export function acceptsGzip(acceptEncoding: string): boolean {
  const weights = new Map(
    acceptEncoding.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [coding, weight ? Number(weight.slice(2)) : 1] as const;
    }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
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
    headers: { ...JSON_HEADERS, 'x-request-id': requestId, ...headers },
  };
}
