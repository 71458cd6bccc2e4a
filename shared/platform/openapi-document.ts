/** The OpenAPI document of this deployment. */
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Services } from '#shared/services.ts';

/** Generated at bundle time. As gzip in base64, because plain JSON would make up a fifth of the bundle. */
declare const BUILT_OPENAPI: string;

export const OpenApiDocument = z.record(z.string(), z.unknown());
const Flow = z.object({ flows: z.object({ authorizationCode: z.object({ authorizationUrl: z.url() }) }) });
const Server = z.object({ url: z.url(), description: z.string() });
const Built = z.object({
  servers: z.tuple([Server], Server),
  components: z.object({ securitySchemes: z.object({ accessToken: Flow }) }),
});

type OpenApiDocument = z.infer<typeof OpenApiDocument>;
type Addresses = Pick<Services, 'origin' | 'oauthIssuer'>;

/** The document of the latest request. A deployment has only one, and building it takes longer than rendering a page. */
let latest: (Addresses & { readonly document: OpenApiDocument }) | undefined;

/** Each call with the same addresses returns the same object. */
export function getOpenApiDocument({ origin, oauthIssuer }: Addresses): OpenApiDocument {
  if (latest?.origin !== origin || latest.oauthIssuer !== oauthIssuer)
    latest = { origin, oauthIssuer, document: buildDocument({ origin, oauthIssuer }) };
  return latest.document;
}

/** Replaces the placeholder origins (servers, issuer, links in examples) with those of this deployment. */
function buildDocument({ origin, oauthIssuer }: Addresses): OpenApiDocument {
  const text = gunzipSync(Buffer.from(BUILT_OPENAPI, 'base64')).toString();
  const { servers, components } = Built.parse(JSON.parse(text));
  const { authorizationUrl } = components.securitySchemes.accessToken.flows.authorizationCode;
  const here = text.replaceAll(new URL(servers[0].url).origin, origin);
  const document = OpenApiDocument.parse(JSON.parse(here.replaceAll(new URL(authorizationUrl).origin, oauthIssuer)));
  const [server, ...others] = Built.shape.servers.parse(document['servers']);
  return { ...document, servers: [server, ...others.filter(({ url }) => url !== server.url)] };
}
