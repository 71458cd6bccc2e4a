/**
 * An OAuth 2.0 authorization server for trying §5.3 on this machine: real in all but that it signs anybody in as any
 * member. Imported lazily: nobody waits for it who does not use it.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import Provider from 'oidc-provider';
import type { Administration } from '#shared/services.ts';
import { bind, closeServer, LOOPBACK, portOf } from '../http-server.ts';
import { configurationOf } from './configuration.ts';
import { discovery, front, interactions, offlineAccess, renderError } from './middleware.ts';
import { signingKey } from './signing-key.ts';
import { openStore } from './store.ts';

export interface IssuerOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** The API's origin, which tokens are for. */
  readonly resource: () => string;
  /** The table whose members sign in. Requests wait for it. */
  readonly services: () => Administration | Promise<Administration>;
  /** Where its key and its grants survive a restart. Without it nothing does. */
  readonly dataDirectory?: string;
  /** Told of what must not happen, in one text. */
  readonly onFault: (fault: string) => void;
}

export interface Issuer {
  /** `http://127.0.0.1:4002` */
  readonly issuer: string;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. Throws `CannotStart` when the port is taken or the key cannot be read. */
export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const { port, resource, services, dataDirectory, onFault } = options;
  const key = await signingKey(dataDirectory && join(dataDirectory, 'oauth-key.json'));
  const server = createServer();
  await bind(server, port);
  const issuer = `http://${LOOPBACK}:${portOf(server)}`;
  const store = openStore(dataDirectory && join(dataDirectory, 'oauth.db'));
  const provider = new Provider(issuer, configurationOf({ store, key, resource, services, renderError }));
  provider.on('server_error', (_ctx, error) => onFault(`The OAuth issuer: ${error.stack ?? error}`));
  provider.use(front(issuer, onFault));
  provider.use(discovery);
  provider.use(offlineAccess);
  provider.use(interactions(provider, services));
  server.on('request', provider.callback());
  return {
    issuer,
    close: async () => {
      await closeServer(server);
      store.close();
    },
  };
}
