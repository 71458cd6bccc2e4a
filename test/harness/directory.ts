/** Sends requests as the directory of a company does. */
import { OPERATOR } from '#shared/access/actor.ts';
import { createScimToken } from '#shared/directory/tokens.ts';
import type { Tenant, TestService } from './service.ts';

interface ScimResponse {
  readonly status: number;
  readonly headers: Headers;
  // Tests read any member of an answer.
  // biome-ignore lint/suspicious/noExplicitAny: as in `client.ts`
  readonly body: any;
}

export type Scim = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ScimResponse>;

export const scimClient =
  (origin: string, authorization: string | undefined): Scim =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(`${origin}/scim/v2${path}`, {
      method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };

/** The directory of the organization, with a new token. */
export async function directory(stage: Pick<TestService, 'services' | 'origin'> & Pick<Tenant, 'organizationId'>) {
  const { services, origin, organizationId } = stage;
  const { value, tokenId } = await createScimToken(services, { organizationId, actor: OPERATOR });
  return { value, tokenId, scim: scimClient(origin, `Bearer ${value}`) };
}
