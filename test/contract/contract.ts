/** Validates responses against the OpenAPI document. */
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type DescribedResponse, operationAt, pointerTo, readDocument } from './document.ts';

interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Uint8Array;
}

/** The problem and its request, or `undefined` for a response that the document allows. */
export type Contract = (exchange: Exchange) => string | undefined;

const DOCUMENT = 'openapi';

/** Compiles schemas of the document by JSON pointer. The linter of `openapi.test.ts` checks the schemas themselves. */
export function schemasOf(document: object) {
  const ajv = new Ajv2020({ strict: false, validateFormats: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, DOCUMENT);
  return (pointer: string) => {
    const reference = `${DOCUMENT}#${encodeURI(pointer)}`;
    const validate = ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
    return (value: unknown): string | undefined =>
      validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'the body' });
  };
}

export function contractOf(document: object): Contract {
  const api = readDocument(document);
  const schema = schemasOf(document);
  return (exchange) => {
    const { method, target, status } = exchange;
    const path = target.split('?', 1)[0] ?? '';
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
  const type = sent.get('content-type')?.split(';', 1)[0] ?? '';
  if (!(type in response.content)) return `the content type "${type}" is not described`;
  const bytes = sent.get('content-encoding') === 'gzip' ? gunzipSync(body) : Buffer.from(body);
  const value: unknown = type === 'application/json' ? JSON.parse(bytes.toString()) : bytes.toString();
  return schema(response.pointer + pointerTo('content', type, 'schema'))(value);
}
