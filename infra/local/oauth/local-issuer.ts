/** The issuer of `npm start`: this one, or the one that RUNDOWN_OAUTH_ISSUER names. */
import { Issuer } from '#infra/settings.ts';
import type { Administration } from '#shared/services.ts';
import { CannotStart } from '../cannot-start.ts';
import { LOOPBACK, listen } from '../http-server.ts';
import { CLIENT_ID, ROUTES } from './names.ts';

/** The part of `local.json` that a client needs. Another issuer's client and endpoints are not ours to know. */
export interface OauthFile {
  readonly issuer: string;
  readonly clientId?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly revocationEndpoint?: string;
}

export interface LocalIssuer {
  readonly file: OauthFile;
  /** Loads and starts it; requests wait for `serve`. */
  readonly start: () => Promise<void>;
  readonly serve: (services: Administration) => void;
  readonly close: () => Promise<void>;
}

interface Options {
  /** Of the service; the issuer takes the next free one from two above it. */
  readonly servicePort: number;
  readonly dataDirectory: string;
  readonly onFault: (fault: string) => void;
}

export async function localIssuer(options: Options): Promise<LocalIssuer> {
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

async function ownIssuer({ servicePort, dataDirectory, onFault }: Options): Promise<LocalIssuer> {
  const port = await freePort(servicePort + 2);
  const issuer = `http://${LOOPBACK}:${port}`;
  const { promise: services, resolve: serve } = Promise.withResolvers<Administration>();
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
      // Only now: it would hold up every start by loading while nothing else is under way.
      const { startIssuer } = await import('./issuer.ts');
      const resource = () => `http://${LOOPBACK}:${servicePort}`;
      const started = await startIssuer({ port, resource, services: () => services, dataDirectory, onFault });
      close = started.close;
    },
    serve,
    close: () => close(),
  };
}

const PORTS_TRIED = 50;

async function freePort(from: number): Promise<number> {
  for (let port = from; port < Math.min(from + PORTS_TRIED, 65_536); port += 1) {
    try {
      await (await listen(port)).close();
      return port;
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error;
    }
  }
  throw new CannotStart(
    `The OAuth issuer found no free port from ${from} on. Choose another port for the service, for example PORT=5000 npm start`,
  );
}
