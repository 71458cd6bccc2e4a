/** Finds the service that `npm run login` signs in to: the service in the options, or else the local service. */

import { join } from 'node:path';
import * as z from 'zod';
import { findCauseMessage } from '#infra/cli/terminal/cause-message.ts';
import { parseData, readIfThere } from '#infra/local/host/json-files.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { findDataFolder } from '#infra/local/host/running-services.ts';
import { COMMAND_LINE } from '#shared/oauth/applications.ts';
import { listResources } from '#shared/oauth/paths.ts';
import { CannotLogin, START } from './cannot-login.ts';

export interface LoginTarget {
  readonly issuer: URL;
  readonly clientId: string;
  /** The resource that the token is for (RFC 8707). */
  readonly resource: string;
}

type TargetOptions = { readonly [Name in 'issuer' | 'client' | 'resource']?: string | undefined };

const Local = z.object({ recordUrl: z.string(), oauth: z.object({ issuer: z.string() }) });

export async function resolveLoginTarget(options: TargetOptions): Promise<LoginTarget> {
  const localService = await readLocal(options);
  const resource =
    options.resource ?? localService?.recordUrl ?? refuseMissingOption('resource', '<origin of the API>');
  const isLocal = localService !== undefined && listResources(localService.recordUrl).includes(resource);
  const issuer = options.issuer ?? (isLocal ? localService.oauth.issuer : await discoverIssuer(resource));
  const defaultClient = issuer === URL.parse(resource)?.origin ? COMMAND_LINE : undefined;
  return {
    issuer: parseSafeUrl('issuer', issuer),
    clientId: options.client ?? defaultClient ?? refuseMissingOption('client', '<client id>'),
    resource,
  };
}

/** Reads `local.json`. A sign-in to another service works without this file. */
async function readLocal({ issuer, client, resource }: TargetOptions): Promise<z.infer<typeof Local> | undefined> {
  const file = join(await findDataFolder(), 'local.json');
  const text = await readIfThere(file);
  const data = parseData(Local, text);
  if (data || resource) return data;
  if (issuer || client) return undefined;
  throw new CannotLogin(
    text === undefined ? `No local service has been started: ${file} does not exist` : `${file} names no issuer`,
    `${START}. To sign in to a deployed service, add --resource <origin of the API>`,
  );
}

function refuseMissingOption(option: string, placeholder: string): never {
  throw new CannotLogin(`Missing --${option}, which has no default here`, `Add --${option} ${placeholder}`);
}

function parseSafeUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname));
  if (url && isSafe) return url;
  throw new CannotLogin(
    url ? `${text} is not a safe ${option}: it does not use https` : `${text} is not a URL`,
    `Use an address with https, such as --${option} https://rundown.example.com`,
  );
}

const ProtectedResource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()], z.string()) });
const ANSWER_MILLISECONDS = 10_000;

/** §4.5 Finds the issuer of a resource. RFC 9728: the resource names its authorization server. */
async function discoverIssuer(resource: string): Promise<string> {
  const { origin, pathname } = parseSafeUrl('resource', resource);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data } = ProtectedResource.safeParse(await response.json());
    if (data?.resource === resource) return data.authorization_servers[0];
    throw new Error(
      data ? `it describes ${data.resource}` : `the answer with status ${response.status} does not describe a resource`,
    );
  } catch (error) {
    throw new CannotLogin(
      `${url} does not name the authorization server of --resource: ${findCauseMessage(error)}`,
      'Check that --resource is the origin of the API, or add --issuer <URL>',
    );
  }
}
