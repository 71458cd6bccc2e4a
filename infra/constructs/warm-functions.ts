/** The functions with environments that are always ready (setting `provisionedConcurrency`), beside the authorizer. */

/**
 * Each machine or each test calls one of these. Others, such as those of caches and files, start cold without holding
 * up the tests. Each environment costs about $4 a month.
 */
export const WARM_FUNCTIONS: readonly string[] = [
  // Those of the published reporter.
  'createRun',
  'claimInstance',
  'createTestRecord',
  'updateTestRecord',
  // Those of our own reporters.
  'startRecording',
  'recordBatch',
  'endMachine',
];

/** The API calls warm functions by this alias, because only versions can have environments that are ready. */
export const WARM_ALIAS = 'live';
