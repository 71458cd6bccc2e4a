/** Where `npm run login` signs in: as it is told, else where `npm start` runs. */
import { join } from 'node:path';
import * as z from 'zod';
import { dataPath, readIfThere } from '../data-directory.ts';
import { CannotLogin, reasonOf, START } from './cannot-login.ts';
import { resourcesAt } from './names.ts';

export interface Target {
  readonly issuer: URL;
  readonly clientId: string;
  /** What the token is for, as the issuer knows it (RFC 8707). */
  readonly resource: string;
}

export interface TargetOptions {
  readonly issuer?: string | undefined;
  readonly client?: string | undefined;
  readonly resource?: string | undefined;
}

const Local = z.object({
  recordUrl: z.string(),
  oauth: z.object({ issuer: z.string(), clientId: z.string().optional() }),
});
type Local = z.infer<typeof Local>;

export async function targetFrom(options: TargetOptions): Promise<Target> {
  const local = await readLocal(options);
  const resource = options.resource ?? local?.recordUrl ?? missing('resource');
  const isLocal = local !== undefined && resourcesAt(local.recordUrl).includes(resource);
  const issuer = options.issuer ?? (isLocal ? local.oauth.issuer : await issuerOf(resource));
  const known = issuer === local?.oauth.issuer ? local.oauth.clientId : undefined;
  return { issuer: urlIn('issuer', issuer), clientId: options.client ?? known ?? missing('client'), resource };
}

/** Only what is not said is read, so that signing in elsewhere needs no service here. */
async function readLocal({ issuer, client, resource }: TargetOptions): Promise<Local | undefined> {
  const file = join(dataPath(), 'local.json');
  const text = await readIfThere(file);
  const { data } = Local.safeParse(parsed(text));
  if (data || resource) return data;
  if (issuer || client) return undefined;
  throw new CannotLogin(
    text === undefined ? `There is no ${file}: the service was never started here` : `${file} names no issuer`,
    `${START} Or sign in elsewhere: --resource <origin of the API> --client <id>`,
  );
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function missing(option: 'resource' | 'client'): never {
  const what = { resource: '<origin of the API>', client: '<id that the issuer knows you by>' }[option];
  throw new CannotLogin(`--${option} is missing, and no local service says it`, `Add --${option} ${what}`);
}

function urlIn(option: string, text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === '127.0.0.1');
  if (url && isSafe) return url;
  throw new CannotLogin(
    `${text} cannot be the ${option}: a code sent there could be read on the way`,
    `Give an address with https, such as --${option} https://auth.example.com`,
  );
}

const ProtectedResource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()], z.string()) });
const ANSWER_MILLISECONDS = 10_000;

/** §4.5, RFC 9728: the resource itself says who issues its tokens. */
async function issuerOf(resource: string): Promise<string> {
  const { origin, pathname } = urlIn('resource', resource);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data } = ProtectedResource.safeParse(await response.json());
    if (data?.resource === resource) return data.authorization_servers[0];
    throw new Error(data ? `it describes ${data.resource}` : `the answer was ${response.status}`);
  } catch (error) {
    throw new CannotLogin(
      `${url} does not say who issues tokens: ${reasonOf(error)}`,
      'See whether --resource is the origin of the API, or name the issuer with --issuer <URL>',
    );
  }
}
