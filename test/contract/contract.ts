/** Validates responses against the OpenAPI document. */
import { gunzipSync } from 'node:zlib';
import { type DescribedResponse, operationAt, pointerTo, readDocument } from './document.ts';
import { schemasOf } from './schemas.ts';

interface Exchange {
  readonly method: string;
  /** The path and the query as sent. */
  readonly target: string;
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Uint8Array;
}

/**
 * Checks a response. Returns a description of the request and the problem, or `undefined` if the document allows the
 * response.
 */
export type Contract = (exchange: Exchange) => string | undefined;

/**
 * Addresses that lead to the OpenAPI document, which does not describe them: `/v1` lists links, and `/v1/docs`
 * redirects.
 */
const SIGNPOSTS = new Set(['/v1', '/v1/docs']);

export function contractOf(document: object): Contract {
  const api = readDocument(document);
  const schema = schemasOf(document);
  return (exchange) => {
    const { method, target, status } = exchange;
    const path = target.split('?', 1)[0] ?? '';
    // The document does not describe HEAD, whose answer is that of GET without the body.
    if (method === 'HEAD') return undefined;
    if (method === 'GET' && SIGNPOSTS.has(path)) return undefined;
    const operation = operationAt(api, method, path);
    const responses = operation?.responses ?? api.elsewhere;
    const response = responses[status];
    const problem = response
      ? problemOf(exchange, response, schema)
      : `the document allows ${Object.keys(responses).join(', ')} only`;
    if (problem === undefined) return undefined;
    return `${method} ${target} (${operation?.operationId ?? 'no operation'}) answered ${status}: ${problem}`;
  };
}

function problemOf(
  { headers, body }: Exchange,
  response: DescribedResponse,
  schema: ReturnType<typeof schemasOf>,
): string | undefined {
  const sent = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  const missing = Object.entries(response.headers).find(
    ([name, { required }]) => required && !sent.has(name.toLowerCase()),
  );
  if (missing) return `the header ${missing[0]} is missing`;
  // API Gateway adds a content type to 304, too.
  if (Object.keys(response.content).length === 0) return body.length === 0 ? undefined : 'it has a body';
  const type = sent.get('content-type')?.split(';', 1)[0] ?? '';
  if (!(type in response.content)) return `the content type "${type}" is not described`;
  const bytes = sent.get('content-encoding') === 'gzip' ? gunzipSync(body) : Buffer.from(body);
  const value: unknown = type === 'application/json' ? JSON.parse(bytes.toString()) : bytes.toString();
  return schema(response.pointer + pointerTo('content', type, 'schema'))(value);
}
