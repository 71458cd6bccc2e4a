/** §5.3 A link that shows one result of a project to anyone who has the link, until it expires or is revoked. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

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
  readonly opens: number;
  /** When the share was last opened, in epoch milliseconds. */
  readonly lastOpenedAt?: number;
}

export const shares: Entity<Pick<Share, 'hash'>, Share> = {
  type: 'share',
  guarded: true,
  gives: 'link',
  removal: 'apart',
  patterns: [{ question: 'The share with this secret', of: { hash: 'sha256(secret)' } }],
  key: ({ hash }) => ({ pk: composeKey('SHARE', hash), sk: 'SHARE' }),
  store: toAttributes,
  load: loadAttributes,
};

type ShareEntry = Pick<Share, 'organizationId' | 'projectId' | 'shareId' | 'hash' | 'expiresAt'>;

/** The share itself is stored once, under the hash of its secret. */
export const sharesOfProject: Entity<Pick<ShareEntry, 'organizationId' | 'projectId' | 'shareId'>, ShareEntry> = {
  type: 'share, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Shares of a project' }],
  key: ({ organizationId, projectId, shareId }) => ({
    pk: composeKey('SHARES', organizationId, projectId),
    sk: composeKey('SHARE', shareId),
  }),
  store: pick('organizationId', 'projectId', 'shareId', 'hash', 'expiresAt'),
  load: loadAttributes,
};

export const getSharesSpan = ({ organizationId, projectId }: Pick<Share, 'organizationId' | 'projectId'>) =>
  getPrefixSpan(composeKey('SHARES', organizationId, projectId), composePrefix('SHARE'));
