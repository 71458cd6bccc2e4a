import type { Retention } from '#shared/model/retention.ts';

/** The settings that differ between environments. */
export interface Environment {
  readonly name: 'dev' | 'staging' | 'prod';
  /** Whether the table and the artifacts outlive the stack and are protected from deletion. */
  readonly keepsData: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly logRetentionDays: 7 | 30 | 90;
  /** The retention of projects that set none. */
  readonly retention: Retention;
  readonly alarms: boolean;
  /** CloudWatch bills each route's metrics as custom metrics. */
  readonly metricsPerRoute: boolean;
  /**
   * Limits of each method. API Gateway counts requests before authentication. So strangers could exhaust a lower limit
   * of routes with the key in the body. Those routes have the same limit as all others, and refuse strangers as
   * cheaply.
   */
  readonly throttle: Throttle;
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
    logRetentionDays: 7,
    retention: { resultsDays: 30, evidenceDays: 14, filesDays: 14 },
    alarms: false,
    metricsPerRoute: false,
    throttle: { requestsPerSecond: 200, burstRequests: 400 },
  },
  staging: {
    name: 'staging',
    keepsData: true,
    pointInTimeRecovery: true,
    logRetentionDays: 30,
    retention: { resultsDays: 90, evidenceDays: 30, filesDays: 30 },
    alarms: true,
    metricsPerRoute: false,
    throttle: { requestsPerSecond: 500, burstRequests: 1000 },
  },
  prod: {
    name: 'prod',
    keepsData: true,
    pointInTimeRecovery: true,
    logRetentionDays: 90,
    retention: { resultsDays: 365, evidenceDays: 90, filesDays: 90 },
    alarms: true,
    metricsPerRoute: true,
    throttle: { requestsPerSecond: 2000, burstRequests: 4000 },
  },
};
