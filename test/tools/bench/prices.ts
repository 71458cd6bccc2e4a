/** Public on-demand prices of AWS in us-east-1, in US dollars. Check them before you rely on a result. */
export const PRICES = {
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGigabyteMonth: 0.25,
  /** Point-in-time recovery per gigabyte. It is enabled in staging and prod. */
  recoverableGigabyteMonth: 0.2,
  gatewayRequest: 3.5 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  queueRequest: 0.4 / 1e6,
  busEvent: 1 / 1e6,
  scheduledRun: 1 / 1e6,
  /** The price of an alarm per metric in its expression. */
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  dashboardMonth: 3,
  /** A key in KMS, of which the authorization server has at least one. */
  signingKeyMonth: 1,
  /** The price of a gigabyte of logs: ingestion, and storage for one month. */
  logGigabyte: 0.5 + 0.03,
} as const;

/**
 * Values that a local run cannot measure. The durations are generous estimates. They matter little, because the gateway
 * causes most of the cost.
 */
export const ASSUMED = {
  millisecondsPerInvocation: 5,
  millisecondsPerTrip: 4,
  /** The response time of a webhook receiver. The function waits during this time. */
  millisecondsPerReceiver: 200,
  functionGigabytes: 0.5,
  /** Bytes that Lambda itself logs per invocation, for its start and its report. */
  platformLogBytes: 450,
  /** Bytes that Lambda and CloudWatch add to each log line of a function. */
  logEnvelopeBytes: 140,
  /** The Lambda concurrency limits of a new AWS account, and of an older one. */
  concurrency: { newAccount: 10, usual: 1000 },
  /** Lambda polls an empty queue with five concurrent long polls of 20 seconds. */
  queuePollsPerMonth: (5 * 30 * 24 * 3600) / 20,
} as const;
