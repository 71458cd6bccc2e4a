/** Every number that differs between environments, and no other place for them. */
export interface Environment {
  readonly name: 'dev' | 'staging' | 'prod';
  /** Whether the table and the artifacts outlive the stack, and refuse to be deleted. */
  readonly keepsData: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly logRetentionDays: 7 | 30 | 90;
  readonly artifactRetentionDays: number;
  readonly alarms: boolean;
  /** CloudWatch bills every route's metrics as custom ones. */
  readonly metricsPerRoute: boolean;
  readonly throttle: Throttle;
  /** For routes that carry their key in the body, so that no authorizer stands before the function. */
  readonly unauthorizedThrottle: Throttle;
}

export interface Throttle {
  readonly requestsPerSecond: number;
  readonly burstRequests: number;
}

export const ENVIRONMENTS: Readonly<Record<Environment['name'], Environment>> = {
  dev: {
    name: 'dev',
    keepsData: false,
    pointInTimeRecovery: false,
    logRetentionDays: 7,
    artifactRetentionDays: 14,
    alarms: false,
    metricsPerRoute: false,
    throttle: { requestsPerSecond: 200, burstRequests: 400 },
    unauthorizedThrottle: { requestsPerSecond: 10, burstRequests: 20 },
  },
  staging: {
    name: 'staging',
    keepsData: true,
    pointInTimeRecovery: true,
    logRetentionDays: 30,
    artifactRetentionDays: 30,
    alarms: true,
    metricsPerRoute: false,
    throttle: { requestsPerSecond: 500, burstRequests: 1000 },
    unauthorizedThrottle: { requestsPerSecond: 20, burstRequests: 40 },
  },
  prod: {
    name: 'prod',
    keepsData: true,
    pointInTimeRecovery: true,
    logRetentionDays: 90,
    artifactRetentionDays: 90,
    alarms: true,
    metricsPerRoute: true,
    throttle: { requestsPerSecond: 2000, burstRequests: 4000 },
    unauthorizedThrottle: { requestsPerSecond: 50, burstRequests: 100 },
  },
};
