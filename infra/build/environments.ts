import type { Retention } from '#shared/model/runs/retention.ts';

/** The settings that differ between environments. */
export interface Environment {
  readonly name: 'dev' | 'staging' | 'prod';
  /** Whether the table and the artifacts outlive the stack, and the stack and the table are protected from deletion. */
  readonly keepsData: boolean;
  readonly pointInTimeRecovery: boolean;
  /**
   * Days for which the bucket keeps deleted files, so that the rows of a restored table find them. Without a number,
   * deleted files are gone at once. Prod covers the 35 days of recovery. Each day costs the storage of the files that
   * end on a day, so staging covers a week.
   */
  readonly deletedFilesDays: number | undefined;
  readonly logRetentionDays: 7 | 30 | 90;
  /** The retention of projects that set none. */
  readonly retention: Retention;
  readonly alarms: boolean;
  /**
   * Units of the table per second. They bound the cost of a fault or a flood, and must be below the table's quota of
   * AWS, which is 40,000 each.
   */
  readonly tableMaximum: { readonly readUnits: number; readonly writeUnits: number };
  /**
   * Limits of each method. API Gateway counts requests before authentication. So strangers could exhaust a lower limit
   * of routes with the key in the body. Those routes have the same limit as all others, and refuse strangers as
   * cheaply.
   */
  readonly throttle: Throttle;
  /**
   * The limit of each organization, over all methods with the authorizer. It is half of a method's, so that the requests
   * of one organization that pass leave room for those of others. It is no less, because a large run streams from
   * hundreds of workers, whose reporters repeat a refused request only three times.
   */
  readonly organizationThrottle: Throttle;
}

interface Throttle {
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
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
  },
};
