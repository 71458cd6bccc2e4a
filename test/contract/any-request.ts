/** Generates requests for an operation of the OpenAPI document: valid, nearly valid and hostile requests. */
import fc from 'fast-check';
import { hostileText } from '#test/engine/http/hostile.ts';
import type { WireRequest } from '#test/engine/http/wire.ts';
import { almost, type Known, valuesOf } from './any-value.ts';
import { type DescribedOperation, type Parameter, valueAt } from './document.ts';

interface Stage {
  readonly document: object;
  readonly known: Known;
}

interface Parts {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Generates the parts of a valid request: path, query and body. */
function partsOf(operation: DescribedOperation, { document, known }: Stage): fc.Arbitrary<Parts> {
  const resolve = (reference: string) => valueAt(document, reference.slice(1));
  const values = (schema: unknown) => valuesOf(schema, known, resolve);
  const parameters = (where: Parameter['in']) => {
    const own = operation.parameters.filter((parameter) => parameter.in === where);
    const named = own.map(({ name, schema }) => {
      const candidates = known[name.replace('[]', '')];
      return [
        name,
        candidates
          ? fc.oneof({ weight: 4, arbitrary: candidates }, { weight: 1, arbitrary: values(schema) })
          : values(schema),
      ] as const;
    });
    const requiredKeys = own.filter(({ required }) => required).map(({ name }) => name);
    return fc.record(Object.fromEntries(named), { requiredKeys });
  };
  return fc.record({
    path: parameters('path'),
    query: parameters('query'),
    body: operation.body === undefined ? fc.constant(undefined) : values(valueAt(document, operation.body)),
  });
}

/** `String` would fail for a generated object without `toString`, or with a member of that name. */
const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const encoded = (value: unknown): string => encodeURIComponent(textOf(value).toWellFormed());

/** Encodes a path segment. Empty segments and dot segments become `x`, because clients would normalize the path. */
const segment = (value: unknown): string => (/^\.{0,2}$/.test(textOf(value)) ? 'x' : encoded(value));

function requestOf({ method, path: template }: DescribedOperation, { path, query, body }: Parts): WireRequest {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(path[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encoded(name)}=${encoded(one)}`),
  );
  const text = body === undefined ? undefined : JSON.stringify(body);
  return {
    method,
    path: pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled,
    ...(text === undefined ? {} : { body: text, headers: [['content-type', 'application/json']] as const }),
  };
}

export const allowed = (operation: DescribedOperation, stage: Stage): fc.Arbitrary<WireRequest> =>
  partsOf(operation, stage).map((parts) => requestOf(operation, parts));

const RECORD = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : { '': value };

/** Generates a request in which one part is nearly valid: the path, the query or the body. */
export const nearlyAllowed = (operation: DescribedOperation, stage: Stage): fc.Arbitrary<WireRequest> =>
  partsOf(operation, stage).chain(({ path, query, body }) => {
    const ofQuery = almost(query).map((other) => ({ path, query: RECORD(other), body }));
    const ofPath = almost(path).map((other) => ({ path: RECORD(other), query, body }));
    const ofBody = almost(body).map((other) => ({ path, query, body: other }));
    return fc
      .oneof(ofQuery, ofPath, ...(body === undefined ? [] : [ofBody, ofBody, ofBody]))
      .map((parts) => requestOf(operation, parts));
  });

const HEADERS = fc.array(
  fc.tuple(
    fc.constantFrom(
      'accept',
      'accept-encoding',
      'content-type',
      'content-encoding',
      'x-currents-idempotency-key',
      'x-pw-version',
    ),
    fc.oneof(fc.constantFrom('gzip', 'identity', '*/*;q=0', 'text/markdown', 'application/json', ';;', ''), visible()),
  ),
  { maxLength: 3 },
);

function visible(): fc.Arbitrary<string> {
  return fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '').trim());
}

/** Generates a request with arbitrary texts or bytes as its path parameters, query, header values and body. */
export function hostile({ method, path, body }: DescribedOperation): fc.Arbitrary<WireRequest> {
  const query = fc.oneof(
    fc.string({ maxLength: 80 }).map((text) => text.replaceAll(/[^\x21-\x7e]|#/g, '')),
    hostileText.map((text) => `${encoded(text)}=${encoded(text)}`),
  );
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json({ maxDepth: 4 }),
    fc.constantFrom('', '{', 'null', '[]', '"', '{"__proto__":{"a":1}}', '['.repeat(5000), '\u0000'),
  );
  return fc.record({ query, bodies, text: hostileText, headers: HEADERS }).map(({ query, bodies, text, headers }) => ({
    method,
    path: `${path.replaceAll(/\{\w+\}/g, segment(text))}?${query}`,
    headers,
    ...(body === undefined ? {} : { body: bodies }),
  }));
}
