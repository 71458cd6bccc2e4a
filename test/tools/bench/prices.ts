/** Public on-demand prices in us-east-1, in US dollars. Look them up before you rely on the table they make. */
export const PRICES = {
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGigabyteMonth: 0.25,
  gatewayRequest: 3.5 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  queueRequest: 0.4 / 1e6,
  busEvent: 1 / 1e6,
  scheduledRun: 1 / 1e6,
  /** An alarm on an expression costs this for each metric in it. */
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  dashboardMonth: 3,
  /** Taken in once, and kept for a month. */
  logGigabyte: 0.5 + 0.03,
} as const;

/** What no laptop shows. Durations are taken generously; the sum is mostly the gateway's anyway. */
export const ASSUMED = {
  millisecondsPerInvocation: 5,
  millisecondsPerTrip: 4,
  /** Until a receiver of webhooks has answered; the function waits for it. */
  millisecondsPerReceiver: 200,
  functionGigabytes: 0.5,
  /** The lines of Lambda itself about one invocation: that it began, and its report. */
  platformLogBytes: 450,
  /** What Lambda puts around a line of a function, and CloudWatch counts for each event. */
  logEnvelopeBytes: 140,
  /** What AWS gives to a new account, and to one that asked for nothing. */
  concurrency: { newAccount: 10, usual: 1000 },
  /** Lambda asks an empty queue with five long polls at once, each of 20 seconds. */
  queuePollsPerMonth: (5 * 30 * 24 * 3600) / 20,
} as const;
