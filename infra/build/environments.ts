import type { Retention } from '#shared/model/runs/retention.ts';
import { type DefaultLimits, GIGABYTE } from '#shared/model/usage/usage-limits.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';

/** What differs between environments. The settings of a deployment replace some of these values. */
export interface Environment {
  readonly name: 'dev' | 'staging' | 'prod';
  /** Protects stack and table from deletion, and keeps table and artifacts if the stack is deleted anyway. */
  readonly keepsData: boolean;
  readonly pointInTimeRecovery: boolean;
  /**
   * Days for which the bucket keeps deleted files, so that the rows of a restored table do not point to missing files.
   * With `undefined`, deleted files are not kept. In prod, the value covers the 35 days of point-in-time recovery. Each
   * day costs the storage of one day's expired files, so staging covers only a week.
   */
  readonly deletedFilesDays: number | undefined;
  readonly logRetentionDays: number;
  /** Default retention of projects. */
  readonly retention: Retention;
  readonly alarms: boolean;
  /**
   * Maximum on-demand throughput of the table, in units per second. It caps the cost of a bug or a flood of requests.
   * AWS allows 40,000 read units and 40,000 write units per table without a request (setting `tableQuota`).
   */
  readonly tableMaximum: { readonly readUnits: number; readonly writeUnits: number };
  /**
   * The request rate limit of each API method. API Gateway counts requests before authentication, so strangers could
   * exhaust a lower limit on the routes that read the record key from the body. Those routes therefore have no lower
   * limit of their own.
   */
  readonly throttle: RouteThrottle;
  /**
   * The request rate limit of each organization, across all methods that use the authorizer. It is half the limit of a
   * method, so that one organization leaves room for others. It is not lower, because hundreds of workers may report
   * the results of a large run at the same time, and their reporters retry a throttled request only three times.
   */
  readonly organizationThrottle: RouteThrottle;
  /** What an organization may use, unless the operator sets other limits for it. */
  readonly usageLimits: Omit<DefaultLimits, 'keyRequestsPerMinute'>;
}

export const ENVIRONMENTS: Readonly<Record<Environment['name'], Environment>> = {
  dev: {
    name: 'dev',
    keepsData: false,
    pointInTimeRecovery: false,
    deletedFilesDays: undefined,
    logRetentionDays: 7,
    retention: { resultsDays: 30, evidenceDays: 14, filesDays: 14 },
    alarms: false,
    tableMaximum: { readUnits: 3000, writeUnits: 2000 },
    throttle: { requestsPerSecond: 200, burstRequests: 400 },
    organizationThrottle: { requestsPerSecond: 100, burstRequests: 200 },
    usageLimits: { requestsPerMonth: 10_000_000, storedBytes: 50 * GIGABYTE },
  },
  staging: {
    name: 'staging',
    keepsData: true,
    pointInTimeRecovery: true,
    deletedFilesDays: 8,
    logRetentionDays: 30,
    retention: { resultsDays: 90, evidenceDays: 30, filesDays: 30 },
    alarms: true,
    tableMaximum: { readUnits: 7500, writeUnits: 5000 },
    throttle: { requestsPerSecond: 500, burstRequests: 1000 },
    organizationThrottle: { requestsPerSecond: 250, burstRequests: 500 },
    usageLimits: { requestsPerMonth: 10_000_000, storedBytes: 200 * GIGABYTE },
  },
  prod: {
    name: 'prod',
    keepsData: true,
    pointInTimeRecovery: true,
    deletedFilesDays: 36,
    logRetentionDays: 90,
    retention: { resultsDays: 365, evidenceDays: 90, filesDays: 90 },
    alarms: true,
    tableMaximum: { readUnits: 30_000, writeUnits: 20_000 },
    throttle: { requestsPerSecond: 2000, burstRequests: 4000 },
    organizationThrottle: { requestsPerSecond: 1000, burstRequests: 2000 },
    usageLimits: { requestsPerMonth: 20_000_000, storedBytes: 1000 * GIGABYTE },
  },
};

/**
 * In a minute, a key may send as much as its organization, so that the results of one large build are not refused while
 * the organization has room.
 */
export const deriveDefaultLimits = ({ organizationThrottle, usageLimits }: Environment): DefaultLimits => ({
  ...usageLimits,
  keyRequestsPerMinute: organizationThrottle.requestsPerSecond * 60,
});

/** Parameter Store path of notification credentials: `<prefix>/<organization>/<project>/<credential>`. */
export const formatSecretsPrefix = ({ name }: Pick<Environment, 'name'>): string => `/rundown/${name}/notifications`;

/** Parameter Store path of the client secrets of companies' identity providers: `<prefix>/<organization>/<secret>`. */
export const formatProvidersPrefix = ({ name }: Pick<Environment, 'name'>): string => `/rundown/${name}/providers`;

/** Parameter Store path of the client secrets of this deployment's own providers: `<prefix>/sign-in/<provider>`. */
export const formatSignInPrefix = ({ name }: Pick<Environment, 'name'>): string => `/rundown/${name}`;

/** Parameter Store path of the credentials of issue trackers: `<prefix>/<organization>/<credential>`. */
export const formatTrackersPrefix = ({ name }: Pick<Environment, 'name'>): string => `/rundown/${name}/trackers`;

/** The Parameter Store parameter with the deployed commit. Its history has the commits that were deployed before. */
export const formatCommitParameter = ({ name }: Pick<Environment, 'name'>): string => `/rundown/${name}/commit`;
