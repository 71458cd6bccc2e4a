/**
 * Public on-demand prices of AWS in us-east-1, in US dollars, from the price pages of AWS (aws.amazon.com/<service>/pricing)
 * as of November 2026. Check them before you rely on a result. Tiers are left out: each unit costs as much as the first.
 */
export const PRICES = {
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  storedGigabyteMonth: 0.25,
  /** Point-in-time recovery per gigabyte. It is enabled in staging and prod. */
  recoverableGigabyteMonth: 0.2,
  /** The table class Standard-Infrequent Access: cheaper storage, and requests that cost a quarter more. */
  infrequentTable: { storedGigabyteMonth: 0.1, requestFactor: 1.25 },
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
  /** A gigabyte of logs: its ingestion, and each month in which it is kept. */
  logGigabyte: 0.5,
  keptLogGigabyteMonth: 0.03,
  fileGigabyteMonth: 0.023,
  /** PUT, COPY, POST and LIST. */
  fileWrite: 5 / 1e6,
  /** GET and HEAD. DELETE is free. */
  fileRead: 0.4 / 1e6,
  /** S3 Standard-Infrequent Access: an object is moved there once, and costs at least as much as one of 128 KB. */
  infrequentFiles: { gigabyteMonth: 0.0125, move: 10 / 1e6 },
  /** S3 Intelligent-Tiering: objects below 128 KB are not moved. `archived`: after 90 days without access. */
  tieredFiles: { objectMonth: 2.5 / 1e6, gigabyteMonth: 0.0125, archivedGigabyteMonth: 0.004 },
  /** A gigabyte that leaves AWS. */
  trafficGigabyte: 0.09,
} as const;

/**
 * Values that a local run cannot measure. The durations are generous estimates. They matter little, because the gateway
 * causes most of the cost of requests.
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
  /** Bytes that DynamoDB adds to each item when it bills the storage (developer guide, "Item sizes and formats"). */
  itemOverheadBytes: 100,
  /** How many tests fail, how often each of them is executed, and the files of each failed execution, in megabytes. */
  files: { failingShare: 0.02, executions: 2, megabytes: { trace: 3, video: 1, screenshot: 0.1 } },
  /** The time to analyze a trace, and to wait for S3 while any file is confirmed. */
  millisecondsPerTrace: 1500,
  millisecondsPerConfirmation: 150,
  /** The share of the uploaded bytes that somebody downloads. */
  downloadedShare: 0.05,
  /** People per million tests a month, the pages that each opens in a day, and the minutes of watching a run. */
  readers: {
    perMillionTests: 25,
    pagesADay: 100,
    watchedMinutesADay: 15,
    secondsPerPoll: 2,
    /** The share of polls that find a change, after which the browser reads the page again. */
    changedShare: 0.5,
    pageKilobytes: 20,
  },
  /** The time that a page needs beside its trips. */
  millisecondsPerPage: 30,
} as const;
