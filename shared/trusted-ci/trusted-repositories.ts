/** The repositories whose CI jobs may record in a project without a key. */
import { invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  getTrustedRepositoriesSpan,
  type TrustedRepository,
  trustedRepositories,
} from '#shared/model/organizations/trusted-repository.ts';
import type { CiProvider } from '#shared/model/runs/origin.ts';
import { changeOrganization } from '#shared/organizations/change.ts';
import { parseName } from '#shared/organizations/name-inputs.ts';
import type { ProjectRequest } from '#shared/organizations/project-settings.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { CI_PROVIDERS } from './claims.ts';
import { issuerProblem, repositoryListed, tooManyRepositories } from './errors.ts';
import { TRUSTED_CI_LIMITS } from './limits.ts';

/** In the order of their creation. */
export async function listTrustedRepositories({ table }: WithTable, key: ProjectKey): Promise<TrustedRepository[]> {
  const all = await table.queryAll(trustedRepositories, getTrustedRepositoriesSpan(key), { consistent: true });
  return all.toSorted((one, other) => one.createdAt - other.createdAt);
}

export interface TrustSettings {
  readonly provider: CiProvider;
  /** Empty for the cloud service of the provider. */
  readonly issuer: string;
  readonly repository: string;
  /** Empty for any. */
  readonly branch: string;
  readonly environment: string;
}

export function trustRepository(
  services: CoreServices & Pick<Services, 'privateReceivers'>,
  { settings, ...request }: ProjectRequest & { readonly settings: TrustSettings },
): Promise<TrustedRepository> {
  const { organizationId, projectId } = request;
  const newEntry = checkTrustSettings(settings, services);
  return changeOrganization(services, { ...request, action: 'trustedCi:change' }, async () => {
    const entries = await listTrustedRepositories(services, request);
    if (entries.some((one) => isSameEntry(one, newEntry))) throw repositoryListed();
    const turn = await reserveRoom(services, {
      organizationId,
      projectId,
      what: 'trusted repositories',
      limit: TRUSTED_CI_LIMITS.repositoriesPerProject,
      count: async () => (await listTrustedRepositories(services, request)).length,
      refusal: tooManyRepositories,
    });
    const row: TrustedRepository = {
      organizationId,
      projectId,
      trustId: services.randomId(TRUSTED_CI_LIMITS.idCharacters),
      ...newEntry,
      ...findKnownIds(entries, newEntry),
      createdAt: services.now(),
    };
    return {
      result: row,
      writes: [put(trustedRepositories, row, ABSENT), turn],
      inProject: row,
      record: { action: 'repository trusted', ...describeTrust(row) },
    };
  });
}

type Entry = Omit<TrustedRepository, 'organizationId' | 'projectId' | 'trustId' | 'createdAt'>;

const REPOSITORY = /^[^\s/:@]+(?:\/[^\s/:@]+)+$/;

function checkTrustSettings(
  { provider, issuer: issuerText, ...names }: TrustSettings,
  services: Pick<Services, 'privateReceivers'>,
): Entry {
  const issuer = trimFinalSlashes(issuerText.trim()) || CI_PROVIDERS[provider].issuer;
  const problem = findUrlProblem(issuer, services);
  if (problem !== undefined) throw issuerProblem(problem);
  if (issuer.includes('?')) throw issuerProblem('The issuer contains a query string. Enter it without one');
  const { nameCharacters: characters } = TRUSTED_CI_LIMITS;
  const repository = parseName('The repository', names.repository, { characters, member: 'repository' });
  if (!REPOSITORY.test(repository))
    throw invalidRequest('Enter the repository with its owner, such as acme/shop', ['repository']);
  const branch = names.branch.trim() && parseName('The branch', names.branch, { characters, member: 'branch' });
  const environment =
    names.environment.trim() && parseName('The environment', names.environment, { characters, member: 'environment' });
  return { provider, issuer, repository, ...(branch && { branch }), ...(environment && { environment }) };
}

/** Code hosts do not distinguish upper and lower case in names. */
export const isSameRepository = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const isSameEntry = (one: Entry, other: Entry): boolean =>
  isOfRepository(one, other) && one.branch === other.branch && one.environment === other.environment;

const isOfRepository = (one: Entry, other: Entry): boolean =>
  one.issuer === other.issuer && isSameRepository(one.repository, other.repository);

/** A second entry for a repository means the one that is known already, and not a later one of the same name. */
function findKnownIds(entries: readonly TrustedRepository[], newEntry: Entry): Pick<Entry, 'repositoryId' | 'ownerId'> {
  const { repositoryId, ownerId } = entries.find((one) => isOfRepository(one, newEntry) && one.repositoryId) ?? {};
  return { ...(repositoryId && { repositoryId }), ...(ownerId && { ownerId }) };
}

const describeTrust = ({ trustId, issuer, repository, repositoryId, branch, environment }: TrustedRepository) => ({
  subject: trustId,
  label: repository,
  detail: [
    `${repository} at ${issuer}`,
    ...(repositoryId === undefined ? [] : [`id ${repositoryId}`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(environment === undefined ? [] : [`environment ${environment}`]),
  ].join(', '),
});

/** Its credentials stop working at once, because each request reads the entry. */
export function removeRepository(
  services: CoreServices,
  { trustId, ...request }: ProjectRequest & { readonly trustId: string },
): Promise<void> {
  return changeOrganization(services, { ...request, action: 'trustedCi:change' }, async () => {
    const { organizationId, projectId } = request;
    const key = { organizationId, projectId, trustId };
    const entry =
      (await services.table.get(trustedRepositories, key, { consistent: true })) ??
      refuse(notFound('Trusted repository'));
    return {
      result: undefined,
      writes: [removeWhen(trustedRepositories, entry, PRESENT)],
      record: { action: 'repository removed', ...describeTrust(entry) },
    };
  });
}
