/** §5 The requests that Okta and Entra ID document, one after the other. */
import { describe, expect, test } from 'vitest';
import { directory, scimClient } from '#test/harness/directory.ts';
import { service } from '#test/harness/service.ts';
import { listEntraSteps, OKTA, type Step } from './vendors.ts';

describe('The directory of a company', () => {
  test.each<[string, readonly Step[]]>([
    ['Okta', OKTA],
    ['Entra ID', listEntraSteps('')],
    ['Entra ID with the flag for standard PATCH requests', listEntraSteps('aadOptscim062020')],
  ])('gets the documented answer to each documented request of %s', async (_, steps) => {
    const here = await service();
    const { scim } = await directory(here);
    const stranger = scimClient(here.origin, 'Bearer 1');
    const ids = new Map<string, string>();
    const fill = <Value>(value: Value): Value =>
      JSON.parse(
        JSON.stringify(value ?? null).replaceAll(/\{(user|group|other)\}/g, (_match, name) => ids.get(name) ?? ''),
      );
    const decode = (path: string) =>
      path.replaceAll(/(?:\{|%7B)(user|group|other)(?:\}|%7D)/g, (_match, name) => ids.get(name) ?? '');
    for (const { name, method, path, body, status, expected = {}, keeps, isUnauthorized } of steps) {
      const answer = await (isUnauthorized ? stranger : scim)(method, decode(path), body && fill(body));
      expect({ name, status: answer.status, body: answer.body }).toMatchObject({
        name,
        status,
        ...(status === 204 ? {} : { body: fill(expected) }),
      });
      if (status !== 204) expect(answer.headers.get('content-type')).toBe('application/scim+json');
      if (keeps) ids.set(keeps, answer.body.id);
    }
    expect(steps.length).toBeGreaterThan(15);
  });
});
