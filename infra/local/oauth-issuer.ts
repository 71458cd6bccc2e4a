/** §5.3 The issuer of `npm start`: the service itself, or the issuer in RUNDOWN_OAUTH_ISSUER. */

import type { OauthFile } from '#infra/demo/demo-organization.ts';
import { IssuerUrl } from '#infra/stacks/settings.ts';
import { COMMAND_LINE } from '#shared/oauth/applications.ts';
import { PATHS } from '#shared/oauth/paths.ts';
import { CannotStart } from './host/cannot-start.ts';

/** The issuer in RUNDOWN_OAUTH_ISSUER, if it is set. Throws `CannotStart` if it is not a valid issuer. */
export function externalIssuer(): string | undefined {
  const { RUNDOWN_OAUTH_ISSUER: issuer } = process.env;
  if (!issuer) return undefined;
  if (IssuerUrl.safeParse(issuer).success) return issuer;
  throw new CannotStart(
    `RUNDOWN_OAUTH_ISSUER=${issuer} is not a valid issuer. Set the https URL of the issuer, spelled exactly as in its metadata, such as https://auth.example.com, or unset the variable to use the built-in issuer`,
  );
}

export const oauthFileOf = (origin: string, external: string | undefined): OauthFile =>
  external === undefined
    ? {
        issuer: origin,
        clientId: COMMAND_LINE,
        authorizationEndpoint: origin + PATHS.authorization,
        tokenEndpoint: origin + PATHS.token,
        revocationEndpoint: origin + PATHS.revocation,
      }
    : { issuer: external };
