/** The issuer of `npm start`: the built-in one, or the one in RUNDOWN_OAUTH_ISSUER. */

import { CannotStart } from '#infra/local/host/cannot-start.ts';
import type { HttpServer } from '#infra/local/host/http-server.ts';
import { Issuer } from '#infra/stacks/settings.ts';
import type { CoreServices } from '#shared/services.ts';
import { CLIENT_ID, ROUTES } from './names.ts';

/** The part of `local.json` that a client needs. The client and endpoints of an external issuer are unknown here. */
export interface OauthFile {
  readonly issuer: string;
  readonly clientId?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly revocationEndpoint?: string;
}

export interface LocalIssuer {
  readonly file: OauthFile;
  /** Loads and starts the issuer. Requests wait for `serve`. */
  readonly start: () => Promise<void>;
  readonly serve: (services: CoreServices) => void;
  readonly close: () => Promise<void>;
}

interface Options {
  /** The server that also serves the issuer. */
  readonly server: HttpServer;
  readonly dataDirectory: string;
  readonly onFault: (fault: string) => void;
}

export function localIssuer(options: Options): LocalIssuer {
  const { RUNDOWN_OAUTH_ISSUER: other } = process.env;
  return other ? otherIssuer(other) : ownIssuer(options);
}

function otherIssuer(issuer: string): LocalIssuer {
  if (!Issuer.safeParse(issuer).success) {
    throw new CannotStart(
      `RUNDOWN_OAUTH_ISSUER=${issuer} cannot be an issuer. Write it as its metadata does, for example https://auth.example.com, or leave the variable out to have one here`,
    );
  }
  const nothing = async () => {};
  return { file: { issuer }, start: nothing, serve: () => {}, close: nothing };
}

function ownIssuer({ server, dataDirectory, onFault }: Options): LocalIssuer {
  const issuer = server.origin;
  const { promise: services, resolve: serve } = Promise.withResolvers<CoreServices>();
  let close = async () => {};
  return {
    file: {
      issuer,
      clientId: CLIENT_ID,
      authorizationEndpoint: issuer + ROUTES.authorization,
      tokenEndpoint: issuer + ROUTES.token,
      revocationEndpoint: issuer + ROUTES.revocation,
    },
    start: async () => {
      // The issuer is imported here, so that it loads while the CDK app synthesizes.
      const { openIssuer } = await import('./issuer.ts');
      const resource = () => server.origin;
      const opened = await openIssuer({ issuer, resource, services: () => services, dataDirectory, onFault });
      server.mount(opened);
      close = opened.close;
    },
    serve,
    close: () => close(),
  };
}
