/**
 * A provider of OpenID Connect that others have written: oidc-provider with its own pages, on this machine. People enter
 * a name and any password.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET } from './company-provider.ts';

interface ForeignPerson {
  readonly email: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface ForeignProvider {
  readonly issuer: string;
  /** What the provider says about each subject. A subject is the name that a person enters. */
  readonly people: Map<string, ForeignPerson>;
  /** Starts again with other keys, and without the sessions that it had. */
  readonly rotateKeys: () => Promise<void>;
  /** The next so many answers of the token endpoint are lost on the way, although the provider has redeemed the code. */
  lostAnswers: number;
}

/** `callback`: where the provider sends people back. */
export async function foreignProvider(callback: string): Promise<ForeignProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const people: ForeignProvider['people'] = new Map();
  const configuration: Configuration = {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [callback] }],
    cookies: { keys: ['a key of the foreign provider'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...people.get(accountId) }),
    }),
  };
  const open = async () => {
    const provider = new Provider(issuer, { ...configuration, jwks: { keys: [await makeKey()] } });
    return provider.callback();
  };
  let handle = await open();
  const here: ForeignProvider = {
    issuer,
    people,
    lostAnswers: 0,
    rotateKeys: async () => {
      handle = await open();
    },
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/token' && here.lostAnswers > 0) {
      here.lostAnswers -= 1;
      loseAnswer(response);
    }
    void handle(request, response);
  });
  return here;
}

/** Ends the connection instead of sending what the provider answers. */
function loseAnswer(response: ServerResponse): void {
  response.end = () => response.destroy();
}

async function makeKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: 'RS256', use: 'sig' };
}
