/** What an organization has used. Requests are counted by samples, each of which stands for several requests. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

interface OfMonth {
  readonly organizationId: string;
  /** The calendar month in UTC, such as `2026-11`. */
  readonly month: string;
}

interface MonthOfRequests extends OfMonth {
  readonly requests?: number;
  /** Requests above a limit. They are not part of `requests`. */
  readonly refused?: number;
  /** The requests of each day of the month, from `day1` to `day31`. */
  readonly [day: `day${number}`]: number | undefined;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const monthsOfRequests: Entity<OfMonth, MonthOfRequests> = {
  type: 'requests of a month',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Requests of an organization in a month, per day' }],
  key: ({ organizationId, month }) => ({ pk: composeKey('USAGE', organizationId), sk: composeKey('MONTH', month) }),
  store: toAttributes,
  load: loadAttributes,
};

interface OfCredential extends OfMonth {
  /** The id of an API key or personal token, or of a member for all their access tokens. */
  readonly credentialId: string;
}

export interface RequestsOfCredential extends OfCredential {
  readonly kind: 'apiKey' | 'personalToken' | 'accessToken';
  /** The label of an API key. It is stored here as well, because a deleted key has no row of its own. */
  readonly label?: string;
  readonly accountId?: string;
  readonly requests: number;
  /** The number of the latest window of time in which a request was counted, and the requests in this window. */
  readonly window?: number;
  readonly inWindow?: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const requestsOfCredentials: Entity<OfCredential, RequestsOfCredential> = {
  type: 'requests of a credential',
  guarded: false,
  removal: 'apart',
  patterns: [
    { question: 'Requests of a credential in a month' },
    { question: 'Requests of all credentials in a month', begins: 'CREDENTIAL#month#' },
  ],
  key: ({ organizationId, month, credentialId }) => ({
    pk: composeKey('USAGE', organizationId),
    sk: composeKey('CREDENTIAL', month, credentialId),
  }),
  store: toAttributes,
  load: loadAttributes,
};

export const getMonthCredentialsSpan = ({ organizationId, month }: OfMonth) =>
  getPrefixSpan(composeKey('USAGE', organizationId), composePrefix('CREDENTIAL', month));

/** The latest measurement, and the files of tests that were stored and deleted since then. */
export interface StoredBytes {
  readonly organizationId: string;
  /** The bytes that the latest measurement found, and when it began, in epoch milliseconds. */
  readonly measured?: number;
  readonly measuredAt?: number;
  /** The bytes of all files of tests that were ever confirmed, less those that were deleted. */
  readonly balance?: number;
  /** The balance when the latest measurement ended. In rows of earlier releases, when it began. */
  readonly balanceAtMeasurement?: number;
  /** When the measurement began that has not ended yet, in epoch milliseconds. */
  readonly listingBeganAt?: number;
  /** The key up to which this measurement has listed the bucket. */
  readonly listedTo?: string;
  /** The bytes of the objects up to this key, kept up to date with files that are stored and deleted among them. */
  readonly listedBytes?: number;
}

export const storedBytes: Entity<Pick<StoredBytes, 'organizationId'>, StoredBytes> = {
  type: 'stored bytes',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Bytes of an organization in the bucket' }],
  key: ({ organizationId }) => ({ pk: composeKey('USAGE', organizationId), sk: 'STORED' }),
  store: toAttributes,
  load: loadAttributes,
};
