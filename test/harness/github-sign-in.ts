/** GitHub on this machine, as far as its documentation describes how an OAuth app signs people in. */
import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { CLIENT_ID, CLIENT_SECRET } from './company-provider.ts';
import { type Received, receiver } from './receiver.ts';

interface GithubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
  readonly visibility: string | null;
}

export interface GithubStandIn {
  readonly url: string;
  user: Readonly<Record<string, unknown>>;
  emails: readonly GithubEmail[];
  /** What GitHub answers to requests below a path, instead of what it should. */
  readonly wrong: Map<string, readonly [status: number, body: string]>;
  /** Returns the address at which the person comes back from GitHub. */
  readonly authorize: (location: string) => URL;
  /** The requests of the service. */
  readonly received: Received[];
}

export const primary = (email: string, verified = true): GithubEmail => ({
  email,
  primary: true,
  verified,
  visibility: 'private',
});

interface Code {
  readonly challenge: string | null;
  readonly redirectUri: string | null;
}

export async function githubSignIn(options: { readonly stays?: boolean } = {}): Promise<GithubStandIn> {
  const codes = new Map<string, Code>();
  const tokens = new Set<string>();
  const { url, received } = await receiver((response, request) => answer(request, response), options);
  const here: GithubStandIn = {
    url: new URL(url).origin,
    user: {},
    emails: [],
    wrong: new Map(),
    received,
    authorize: (location) => {
      const { searchParams } = new URL(location);
      const code = randomUUID().replaceAll('-', '').slice(0, 20);
      codes.set(code, {
        challenge: searchParams.get('code_challenge'),
        redirectUri: searchParams.get('redirect_uri'),
      });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return back;
    },
  };

  function answer(request: Received, response: ServerResponse): void {
    const { pathname } = new URL(request.path, here.url);
    const [status, body, type = 'application/json; charset=utf-8'] =
      here.wrong.get(pathname) ?? reply(request, pathname);
    response.writeHead(status, { 'content-type': type }).end(body);
  }

  function reply({ method, body, header }: Received, pathname: string): readonly [number, string, type?: string] {
    if (method === 'POST' && pathname === '/login/oauth/access_token') {
      const token = redeem(new URLSearchParams(body));
      if (header('accept') !== 'application/json') return [200, 'error=no_json', 'application/x-www-form-urlencoded'];
      // GitHub answers errors with 200, too.
      const content = token
        ? { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
        : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
      return [200, JSON.stringify(content)];
    }
    if (!tokens.has((header('authorization') ?? '').replace(/^Bearer /i, '')))
      return [401, JSON.stringify({ message: 'Bad credentials' })];
    if (pathname === '/api/v3/user') return [200, JSON.stringify(here.user)];
    if (pathname === '/api/v3/user/emails') return [200, JSON.stringify(here.emails)];
    return [404, JSON.stringify({ message: 'Not Found' })];
  }

  function redeem(form: URLSearchParams): string | undefined {
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient = form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
    if (!isClient || code?.challenge !== verifier || code.redirectUri !== form.get('redirect_uri')) return undefined;
    const token = `gho_${randomUUID().replaceAll('-', '')}`;
    tokens.add(token);
    return token;
  }
  return here;
}
