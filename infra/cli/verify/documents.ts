/** Checks the documents in which the service describes itself to clients. */

import * as z from 'zod';
import { parseAnswer } from './answers.ts';
import { defineChecks } from './check.ts';
import { must, NotHere } from './outcome.ts';

const ORIGIN =
  'Set `domain` in infra/environments/<env>.json to the host of --url, and deploy. Without a domain, --url must be the output RecordUrl';

const Resource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()]) });
const Listed = z.object({ url: z.string() });
const OpenApi = z.object({ servers: z.tuple([Listed], Listed) });
const Server = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  registration_endpoint: z.string(),
});
const Keys = z.object({ keys: z.array(z.object({ kty: z.string(), kid: z.string() })) });

const RESOURCES = ['', '/mcp'] as const;
const SERVERS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

export const DOCUMENT_CHECKS = defineChecks('Documents', [
  {
    name: 'The discovery documents and the API description name this address',
    fix: ORIGIN,
    run: async ({ ask, origin }) => {
      const mustBeHere = (what: string, address: string, expectedAddress: string): void =>
        must(address === expectedAddress, `${what} names ${address}, not ${expectedAddress}`);
      for (const resource of RESOURCES) {
        const path = `/.well-known/oauth-protected-resource${resource}`;
        mustBeHere(path, parseAnswer(Resource, await ask('GET', path)).resource, origin + resource);
      }
      const description = '/v1/docs/openapi.json';
      const { servers } = parseAnswer(OpenApi, await ask('GET', description));
      mustBeHere(description, servers[0].url, `${origin}/v1`);
    },
  },
  {
    name: 'The authorization server publishes its endpoints and the keys of its tokens',
    fix: 'Read the log /aws/lambda/rundown-<env>-authorizationServer: the function needs kms:GetPublicKey for the keys of the setting `signingKeys`',
    run: async ({ ask }) => {
      const {
        resource,
        authorization_servers: [issuer],
      } = parseAnswer(Resource, await ask('GET', '/.well-known/oauth-protected-resource'));
      if (issuer !== resource) throw new NotHere(`tokens come from ${issuer}, which the setting oauthIssuer names`);
      for (const path of SERVERS) {
        const { issuer: namedIssuer, ...endpoints } = parseAnswer(Server, await ask('GET', path));
        const strange = [namedIssuer, ...Object.values(endpoints)].find((address) => !address.startsWith(issuer));
        must(strange === undefined, `${path} names ${strange}, which is not below ${issuer}`);
      }
      const { keys } = parseAnswer(Keys, await ask('GET', '/api/auth/oauth2/jwks'));
      must(keys.length > 0, '/api/auth/oauth2/jwks has no key');
      return [`${keys.length} key${keys.length > 1 ? 's' : ''}`];
    },
  },
]);
