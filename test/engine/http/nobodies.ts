/** Requests with an invalid credential. */
import type { Declaration } from '#shared/platform/declaration.ts';
import { badHeaders, badValues } from './bad-credentials.ts';
import { badRequest, goodRequest } from './sample-requests.ts';
import type { World } from './sample-shapes.ts';
import type { WireRequest } from './wire.ts';

/**
 * Returns two requests for each kind of invalid credential: one that is otherwise valid, and one that is invalid for
 * another reason as well, if the operation has an invalid sample request. If the operation takes the key in the body,
 * also returns requests whose bodies are not objects.
 */
export function nobodies(declaration: Declaration, world: World, key: string): WireRequest[] {
  const good = goodRequest(declaration, world);
  const bad = badRequest(declaration, world) ?? good;
  if (declaration.credential === 'header') {
    return Object.values(badHeaders(key)).flatMap((headers) =>
      [good, bad].map((request) => ({ ...request, headers: [...(request.headers ?? []), ...headers] })),
    );
  }
  const keys: unknown[] = [...Object.values(badValues(key)), undefined, null, 7, [key], { key }];
  const without = keys.flatMap((recordKey) =>
    [good, bad].map((request) => ({
      ...request,
      body: JSON.stringify({ ...JSON.parse(String(request.body)), recordKey }),
    })),
  );
  return [...without, { ...good, body: '[]' }, { ...good, body: 'null' }, { ...good, body: '"key"' }];
}
