/**
 * An OAuth 2.0 authorization server for trying §5.3 on this machine. It is real, except that anybody can sign in as any
 * member. It is imported lazily, so that only its users wait for it.
 */
import { join } from 'node:path';
import Provider from 'oidc-provider';
import type { Mount } from '#infra/local/host/http-server.ts';
import type { CoreServices } from '#shared/services.ts';
import { configurationOf } from './configuration.ts';
import { discovery, front, interactions, offlineAccess, renderError } from './middleware.ts';
import { signingKey } from './signing-key.ts';
import { openStore } from './store.ts';

export interface IssuerOptions {
  /** The origin of the issuer: `http://localhost:4000`. */
  readonly issuer: string;
  /** The API's origin, which is the audience of tokens. */
  readonly resource: () => string;
  /** The table with the members who may sign in. Requests wait for it. */
  readonly services: () => CoreServices | Promise<CoreServices>;
  /** The folder of its key and grants. Without it they end with the process. */
  readonly dataDirectory?: string;
  /** Receives internal errors as one text. */
  readonly onFault: (fault: string) => void;
}

export interface Issuer extends Mount {
  close(): Promise<void>;
}

const PATHS =
  /^\/((api\/auth\/oauth2|interaction)\/|\.well-known\/(oauth-authorization-server|openid-configuration)\b)/;

/** Throws `CannotStart` if the key is unreadable. */
export async function openIssuer(options: IssuerOptions): Promise<Issuer> {
  const { issuer, resource, services, dataDirectory, onFault } = options;
  const key = await signingKey(dataDirectory && join(dataDirectory, 'oauth-key.json'));
  const store = openStore(dataDirectory && join(dataDirectory, 'oauth.db'));
  const provider = new Provider(issuer, configurationOf({ store, key, resource, services, renderError }));
  provider.on('server_error', (_ctx, error) => onFault(`The OAuth issuer: ${error.stack ?? error}`));
  provider.use(front(issuer, onFault));
  provider.use(discovery);
  provider.use(offlineAccess);
  provider.use(interactions(provider, services));
  return {
    takes: ({ url = '' }) => PATHS.test(url),
    handle: provider.callback(),
    close: async () => store.close(),
  };
}
