/** §5.3 A link that shows one result of a project to anyone who has the link, until it expires or is revoked. */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

/** Why a person shares a result: to show it to people, or to give it to an agent that fixes the failure. */
export const SHARE_PURPOSES = ['report', 'fix'] as const;

/** What a share shows: a run, one of its spec files, or one test. */
export interface SharedObject {
  readonly runId: string;
  readonly instanceId?: string | undefined;
  readonly testId?: string | undefined;
  readonly attempt?: number | undefined;
}

export interface Share extends SharedObject {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  /** The id of the share. It begins with the id of the project, and ids of one project sort by creation time. */
  readonly shareId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** The account that created the share. The share stops working when this person loses the permission to share. */
  readonly accountId: string;
  readonly purpose: (typeof SHARE_PURPOSES)[number];
  /** The title of the test, the name of the spec file, or the CI build id of the run. */
  readonly label: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** TTL in epoch seconds. DynamoDB deletes rows late, so the time is also checked. */
  readonly expiresAt: number;
  /** The number of times that the share was opened. */
  readonly opens: number;
  /** When the share was last opened, in epoch milliseconds. */
  readonly lastOpenedAt?: number;
}

export const shares: Entity<Pick<Share, 'hash'>, Share> = {
  type: 'share',
  guarded: true,
  gives: 'link',
  removal: 'apart',
  patterns: [{ question: 'The share with this secret', key: 'pk = SHARE#sha256(secret), sk = SHARE' }],
  key: ({ hash }) => ({ pk: composed('SHARE', hash), sk: 'SHARE' }),
  store: attributesOf,
  load: stored,
};

type Listed = Pick<Share, 'organizationId' | 'projectId' | 'shareId' | 'hash' | 'expiresAt'>;

/** An entry in the list of a project's shares. The share itself is stored once, under the hash of its secret. */
export const sharesOfProject: Entity<Pick<Listed, 'organizationId' | 'projectId' | 'shareId'>, Listed> = {
  type: 'share, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Shares of a project', key: 'pk = SHARES#org#project, sk = SHARE#share' }],
  key: ({ organizationId, projectId, shareId }) => ({
    pk: composed('SHARES', organizationId, projectId),
    sk: composed('SHARE', shareId),
  }),
  store: pick('organizationId', 'projectId', 'shareId', 'hash', 'expiresAt'),
  load: stored,
};

export const sharesSpan = ({ organizationId, projectId }: Pick<Share, 'organizationId' | 'projectId'>) =>
  beginningWith(composed('SHARES', organizationId, projectId), prefix('SHARE'));
