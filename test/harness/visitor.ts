/** A person who uses the pages over HTTP, like a browser without scripts. */
import { parse } from 'parse5';
import { OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { exchange, headersOf, textIn } from './client.ts';
import { attribute, elementsIn, textOf } from './elements.ts';
import { member } from './people.ts';
import type { Tenant, TestService } from './service.ts';

export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text of the body in one line, including hidden elements. */
  readonly text: string;
  /** The targets of all links. */
  readonly links: readonly string[];
  readonly elements: ReturnType<typeof elementsIn>;
}

type Fields = Record<string, string>;
type Sent = Readonly<Record<string, string>>;

export interface Visitor {
  readonly cookie: string;
  readonly get: (path: string, headers?: Sent) => Promise<Shown>;
  /** Submits a form as a browser does from a page of the same origin, unless `headers` say otherwise. */
  readonly post: (path: string, fields?: Fields, headers?: Sent) => Promise<Shown>;
  /** Like `post`, but a field may have several values. */
  readonly postAll: (path: string, fields: URLSearchParams) => Promise<Shown>;
}

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Returns a visitor who does not follow redirects. If `cookie` is empty, the visitor has no session. */
export function visitor(origin: string, cookie = ''): Visitor {
  const ask = async (method: string, path: string, headers: Sent, fields?: URLSearchParams): Promise<Shown> => {
    const type: Sent = fields ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } : {};
    const sent = { accept: 'text/html', ...type, ...(cookie ? { cookie } : {}), ...headers };
    const answer = await exchange(method, origin + path, sent, fields?.toString());
    return new Page(answer.statusCode ?? 0, headersOf(answer), await textIn(answer));
  };
  return {
    cookie,
    get: (path, headers = {}) => ask('GET', path, headers),
    post: (path, fields = {}, headers = SAME_ORIGIN) => ask('POST', path, headers, new URLSearchParams(fields)),
    postAll: (path, fields) => ask('POST', path, SAME_ORIGIN, fields),
  };
}

/** Parses the page only when a test reads a part of it. */
class Page implements Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  private parsed: Shown['elements'] | undefined;

  constructor(status: number, headers: Headers, html: string) {
    this.status = status;
    this.headers = headers;
    this.html = html;
  }

  get elements(): Shown['elements'] {
    this.parsed ??= elementsIn(parse(this.html));
    return this.parsed;
  }

  get links(): readonly string[] {
    return this.elements.flatMap((element) => (element.tagName === 'a' ? (attribute(element, 'href') ?? []) : []));
  }

  get text(): string {
    const body = this.elements.find(({ tagName }) => tagName === 'body');
    return body ? textOf(body).replace(/\s+/g, ' ').trim() : '';
  }
}

type Stage = TestService & Tenant;

/** Signs this person in with a new sign-in link. */
export async function signIn(stage: Stage, { email }: Pick<Account, 'email'>): Promise<Visitor> {
  const { secret } = await createSignInLink(stage.services, { actor: OPERATOR, email });
  const answer = await visitor(stage.origin).post('/sign-in/link', { code: secret });
  return visitor(stage.origin, cookieOf(answer));
}

/** A new member with this role, signed in. */
export const signedIn = async (stage: Stage, role: Role): Promise<Visitor> => signIn(stage, await member(stage, role));

export const cookieOf = ({ headers }: Shown): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** The secret of the session, without the hint beside it in the cookie. */
export const secretOf = ({ cookie }: Pick<Visitor, 'cookie'>): string => /^[^=]+=([^.]+)/.exec(cookie)?.[1] ?? '';
