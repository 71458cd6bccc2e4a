/** A repository whose CI jobs may record in a project without a key: they show an identity token of their CI system. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { CiProvider } from '#shared/model/runs/origin.ts';

export interface TrustedRepository extends ProjectKey {
  readonly trustId: string;
  readonly provider: CiProvider;
  /** Compared with the claim `iss` character by character. */
  readonly issuer: string;
  /** Such as `acme/shop`: the name that was entered, or the latest one that a token named. */
  readonly repository: string;
  /** The ids of the repository and its owner. Absent until the first token: from then on they decide, not the name. */
  readonly repositoryId?: string;
  readonly ownerId?: string;
  /** Only builds of this branch may record. A `*` at the end stands for any rest. */
  readonly branch?: string;
  /** Only jobs in this environment of the CI system may record. */
  readonly environment?: string;
  /** Creation time and last exchange, in epoch milliseconds. */
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

export type TrustKey = ProjectKey & Pick<TrustedRepository, 'trustId'>;

export const trustedRepositories: Entity<TrustKey, TrustedRepository> = {
  type: 'trusted repository',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'A trusted repository of a project' },
    { question: 'Trusted repositories of a project', begins: 'REPOSITORY#' },
  ],
  key: ({ organizationId, projectId, trustId }) => ({
    pk: composeKey('TRUSTED', organizationId, projectId),
    sk: composeKey('REPOSITORY', trustId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getTrustedRepositoriesSpan = ({ organizationId, projectId }: ProjectKey) =>
  getPrefixSpan(composeKey('TRUSTED', organizationId, projectId), composePrefix('REPOSITORY'));
