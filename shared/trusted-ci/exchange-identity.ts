/**
 * §5.1 Gives a CI job a credential with which it records its own build for an hour, in exchange for its identity token.
 * A token may be exchanged again while it is valid: the second credential is bound to the same build. Whatever is wrong, the
 * answer is the 401 of every other operation.
 */
import type * as z from 'zod';
import { createToken, hashToken } from '#shared/access/token.ts';
import { unauthorized } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT } from '#shared/engine/table/writes.ts';
import { isInUse } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type BuildCredential, buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { type TrustedRepository, trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import type { CiBuild } from '#shared/model/runs/origin.ts';
import { presentOrigin } from '#shared/results/runs/origin-wire.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { Services } from '#shared/services.ts';
import { CI_PROVIDERS, type CiIdentity } from './claims.ts';
import type { NewCredential } from './credential-wire.ts';
import { issuerSilent } from './errors.ts';
import { type IssuerKeys, SilentIssuer } from './issuer-keys.ts';
import { TRUSTED_CI_LIMITS } from './limits.ts';
import { isSameRepository, listTrustedRepositories } from './trusted-repositories.ts';
import { findIssuer, verifyIdentity } from './verify-identity.ts';

type ExchangeServices = Pick<Services, 'table' | 'now' | 'origin'> & Network;

interface NewBuildCredential extends Pick<BuildCredential, 'build' | 'expiresAt'> {
  /** Only its hash is stored. */
  readonly value: string;
}

export async function exchangeIdentity(
  services: ExchangeServices,
  keys: IssuerKeys,
  { token, ...project }: ProjectKey & { readonly token: string | undefined },
): Promise<NewBuildCredential> {
  const issuer = token === undefined ? undefined : findIssuer(token);
  if (token === undefined || issuer === undefined) throw unauthorized();
  // Before any request to the issuer: nobody can make this service ask a host that no Admin of the project has entered.
  const entries = (await listTrustedRepositories(services, project)).filter((one) => one.issuer === issuer);
  if (entries.length === 0 || !(await isProjectInUse(services, project))) throw unauthorized();
  const payload = await verifyIdentity(services, keys, { token, issuer }).catch((error: unknown) => {
    throw error instanceof SilentIssuer ? issuerSilent(TRUSTED_CI_LIMITS.pauseMilliseconds / 1000) : error;
  });
  if (!payload) throw unauthorized();
  for (const entry of entries) {
    const identity = CI_PROVIDERS[entry.provider].read(payload, issuer);
    if (!identity || !isTrusted(identity, entry) || !(await noteUse(services, entry, identity))) continue;
    return createCredential(services, project, bindToProject(identity, entry));
  }
  throw unauthorized();
}

const BEARER = new RegExp(`^bearer +([\\w.-]{1,${TRUSTED_CI_LIMITS.tokenCharacters}})$`, 'i');

export const parseIdentityToken = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? '')?.[1];

export const presentCredential = ({ value, build, expiresAt }: NewBuildCredential): z.input<typeof NewCredential> => ({
  credential: value,
  expiresAt: formatIsoTime(expiresAt * 1000),
  ciBuildId: build.ciBuildId,
  origin: presentOrigin(build.origin),
});

async function isProjectInUse({ table }: WithTable, project: ProjectKey): Promise<boolean> {
  const lookups = [makeLookup(organizations, project), makeLookup(projects, project)] as const;
  const rows = await table.getTogether(lookups, { consistent: true });
  const organization = rows.of(lookups[0]);
  return organization !== undefined && organization.deactivatedAt === undefined && isInUse(rows.of(lookups[1]));
}

/** Once the ids are known, the name decides nothing: another repository may get it. */
function isTrusted(identity: CiIdentity, entry: TrustedRepository): boolean {
  const isRepository =
    entry.repositoryId === undefined
      ? isSameRepository(entry.repository, identity.repository)
      : entry.repositoryId === identity.repositoryId && entry.ownerId === identity.ownerId;
  const isOnBranch = entry.branch === undefined || matchesBranch(identity.branch, entry.branch);
  const isInEnvironment = entry.environment === undefined || entry.environment === identity.environment;
  return isRepository && isOnBranch && isInEnvironment;
}

function matchesBranch(branch: string | undefined, pattern: string): boolean {
  if (branch === undefined) return false;
  return pattern.endsWith('*') ? branch.startsWith(pattern.slice(0, -1)) : branch === pattern;
}

/**
 * Stores the ids of the repository with the first token, and its current name. Returns false if the entry was removed,
 * or another repository of the same name was faster.
 */
async function noteUse({ table, now }: ExchangeServices, entry: TrustedRepository, identity: CiIdentity) {
  const { repository, repositoryId, ownerId } = identity;
  const isDue = (entry.lastUsedAt ?? 0) <= now() - TRUSTED_CI_LIMITS.lastUseMilliseconds;
  if (!isDue && entry.repositoryId !== undefined && entry.repository === repository) return true;
  const set = Object.entries({ repository, repositoryId, ownerId, lastUsedAt: now() });
  const isSame = { any: [{ absent: 'repositoryId' }, { path: 'repositoryId', equals: repositoryId }] };
  const { done } = await table.update(trustedRepositories, entry, { set }, { all: [PRESENT, isSame] });
  return done;
}

const bindToProject = ({ build }: CiIdentity, { projectId, trustId, issuer }: TrustedRepository): CiBuild => ({
  ...build,
  projectId,
  origin: { ...build.origin, trustId, issuer },
});

async function createCredential(
  { table, now }: ExchangeServices,
  { organizationId }: ProjectKey,
  build: CiBuild,
): Promise<NewBuildCredential> {
  const value = createToken('buildCredential');
  const expiresAt = Math.floor(now() / 1000) + TRUSTED_CI_LIMITS.credentialSeconds;
  await table.put(buildCredentials, { hash: hashToken(value), organizationId, build, expiresAt }, ABSENT);
  return { value, build, expiresAt };
}
