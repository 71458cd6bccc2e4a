/** Public on-demand prices in us-east-1, in US dollars. Check them before you rely on the result. */
export const PRICES = {
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGigabyteMonth: 0.25,
  /** Point-in-time recovery of a gigabyte, which staging and prod have. */
  recoverableGigabyteMonth: 0.2,
  gatewayRequest: 3.5 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  queueRequest: 0.4 / 1e6,
  busEvent: 1 / 1e6,
  scheduledRun: 1 / 1e6,
  /** The price of an alarm, which is paid for each metric in its expression. */
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  dashboardMonth: 3,
  /** The price of a gigabyte of logs: ingestion, and storage for a month. */
  logGigabyte: 0.5 + 0.03,
} as const;

/** Facts that a local run cannot measure. Durations are estimated generously; most of the sum is the gateway. */
export const ASSUMED = {
  millisecondsPerInvocation: 5,
  millisecondsPerTrip: 4,
  /** Response time of a webhook receiver, for which the function waits. */
  millisecondsPerReceiver: 200,
  functionGigabytes: 0.5,
  /** Lines of Lambda about one invocation: its start and its report. */
  platformLogBytes: 450,
  /** Bytes that Lambda and CloudWatch add to each line of a function. */
  logEnvelopeBytes: 140,
  /** The limits of a new account and of an older one. */
  concurrency: { newAccount: 10, usual: 1000 },
  /** Lambda polls an empty queue with five concurrent long polls of 20 seconds. */
  queuePollsPerMonth: (5 * 30 * 24 * 3600) / 20,
} as const;
