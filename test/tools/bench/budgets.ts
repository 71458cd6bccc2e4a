import { ANALYTICS_BUDGETS } from './analytics-budgets.ts';
import { PAGE_BUDGETS } from './page-budgets.ts';

/**
 * Cost limits. The bench fails if a measurement exceeds `must`, and `target` is a goal for later changes. Smaller
 * values are better.
 */
export interface Budget {
  readonly label: string;
  readonly unit: string;
  readonly must?: number;
  readonly target?: number;
}

export const BUDGETS = {
  // Recording finds the causes of errors and masks their texts (71 KB), so that no page has to do it again.
  functionKilobytes: { label: 'Largest API function, minified', unit: 'KB', must: 570, target: 280 },
  authorizerKilobytes: { label: 'Authorizer, minified', unit: 'KB', must: 227, target: 160 },
  // 27 report formats are 154 KB of it, and causes of errors with masking 71 KB.
  importKilobytes: {
    label: 'Larger import function, with all parsers, minified',
    unit: 'KB',
    must: 780,
    target: 450,
  },
  trackerKilobytes: {
    label: 'Largest function with the clients of issue trackers, minified',
    unit: 'KB',
    must: 540,
    target: 400,
  },
  pagesKilobytes: { label: 'Function of all pages, minified', unit: 'KB', must: 860, target: 450 },
  // Includes the instructions for recording results with each framework.
  // Includes the confirmation of members (3 KB).
  settingsKilobytes: { label: 'Function of the settings pages, minified', unit: 'KB', must: 620, target: 350 },
  contextsKilobytes: { label: 'Function of the Markdown contexts, minified', unit: 'KB', must: 505, target: 350 },
  // Includes the clients of four issue trackers, and the forms that create and link issues.
  issuesKilobytes: { label: 'Function of the pages of issues, minified', unit: 'KB', must: 600, target: 400 },
  sharesKilobytes: { label: 'Function of shared results and badges, minified', unit: 'KB', must: 550, target: 350 },
  clientKilobytes: {
    label: 'Function of the packed clients, minified, per served version',
    unit: 'KB',
    must: 860,
    target: 350,
  },
  // Includes the guides and the changelog.
  docsKilobytes: { label: 'Function of the documentation, minified', unit: 'KB', must: 545, target: 350 },
  runFormsKilobytes: { label: 'Function of the forms of runs, minified', unit: 'KB', must: 575, target: 350 },
  // Includes 6 KB of forms that delete and restore a project, and 19 KB of the one that moves rules and issues of a renamed test.
  formsKilobytes: { label: 'Function of all forms, minified', unit: 'KB', must: 755, target: 350 },
  // With the client of OpenID Connect.
  companySignInKilobytes: { label: 'Function of company sign-in, minified', unit: 'KB', must: 460, target: 350 },
  companySettingsKilobytes: {
    label: 'Function of the settings of company sign-in, minified',
    unit: 'KB',
    must: 460,
    target: 350,
  },
  providerSignInKilobytes: {
    label: 'Function of sign-in at providers of the deployment, minified',
    unit: 'KB',
    must: 460,
    target: 350,
  },
  // Includes the identities at providers of the deployment.
  signInKilobytes: { label: 'Function of the sign-in pages, minified', unit: 'KB', must: 450, target: 350 },
  // Includes the search and the code that parses errors (25 KB), and the issue trackers with their tools (75 KB).
  mcpKilobytes: { label: 'MCP server, minified', unit: 'KB', must: 1_090, target: 600 },
  agentCalls: { label: 'Calls of an agent, from a failed run on main to its page state', unit: 'calls', must: 4 },
  agentCharacters: {
    label: 'Characters of the answers to the calls of an agent',
    unit: 'characters',
    must: 12_000,
    target: 10_000,
  },
  incompleteQuestions: { label: 'Incomplete answers of an agent to ten questions', unit: 'questions', must: 0 },
  questionCalls: { label: 'Calls of an agent for ten questions', unit: 'calls', must: 20 },
  questionCharacters: { label: 'Characters of the answers to these calls', unit: 'characters', must: 25_000 },
  toolListKilobytes: { label: 'List of all 39 tools', unit: 'KB', must: 45, target: 30 },
  authorizationServerKilobytes: { label: 'Authorization server, minified', unit: 'KB', must: 880, target: 600 },
  consentKilobytes: { label: 'Function of the consent page, minified', unit: 'KB', must: 880, target: 600 },
  pageUnits: { label: 'History page of 10: read units', unit: 'RRU', must: 1.5, target: 1 },
  pageTrips: { label: 'History page of 10: table round trips', unit: 'trips', must: 2, target: 1 },
  rareUnits: { label: 'Page of 10, filter that 1 % of 9,000 match', unit: 'RRU', must: 110, target: 18 },
  failedUnits: { label: 'Page of 10, failed only, with stacks', unit: 'RRU', must: 8, target: 7 },
  noMatchUnits: { label: 'Filter that none of 9,000 match', unit: 'RRU', must: 510, target: 45 },
  noMatchTrips: { label: 'Filter that none of 9,000 match: table round trips', unit: 'trips', must: 8, target: 7 },
  shortBranchUnits: { label: 'Page of 10 on a branch of three of 90 days', unit: 'RRU', must: 20, target: 18 },
  unknownBranchUnits: { label: 'Page of 10 on an unknown branch', unit: 'RRU', must: 5, target: 3 },
  instanceUnits: { label: 'Instance with 25 tests', unit: 'RRU', must: 1, target: 0.5 },
  // A page reads one row for each failed or flaky test of the run, because each test is written in its own transaction.
  contextUnits: { label: 'Failure context of a run of 5,000, page of 10', unit: 'RRU', must: 17, target: 10 },
  contextGrowth: {
    label: 'Added to the failure context by ten times the passed tests',
    unit: 'RRU',
    must: 0,
    target: 0,
  },
  // A comparison reads the history of each shown failing test, to say since when the test has been failing.
  comparisonUnits: { label: 'Comparison of two runs of 5,000 with 200 failed each', unit: 'RRU', must: 70, target: 30 },
  rulesServed: { label: 'Rules for a runner', unit: 'RRU', must: 1, target: 0.5 },
  rulesListed: { label: 'List of 81 rules', unit: 'RRU', must: 16, target: 10 },
  ruleWritten: { label: 'Written when a rule is created', unit: 'WRU', must: 24, target: 12 },
  ruleExecutions: { label: 'Page of 25 executions of a rule', unit: 'RRU', must: 4, target: 3 },
  affectedTestsPage: { label: 'Page of 25 affected tests after 12 runs of 250', unit: 'RRU', must: 30, target: 15 },
  cacheStored: { label: 'Links for a new version of a cache', unit: 'WRU', must: 2, target: 1 },
  cacheFound: { label: 'Link to the newest of 20 versions', unit: 'RRU', must: 6, target: 4 },
  cacheRead: { label: 'Link to an archive of a cache', unit: 'RRU', must: 5, target: 4 },
  ruleMatchWritten: { label: 'Added by a rule that matches a test', unit: 'WRU', must: 8, target: 4 },
  batchUnits: { label: 'Written per test, batch upload of 5,000', unit: 'WRU', must: 1.8, target: 1.45 },
  importUnits: { label: 'Written per test, import of 500', unit: 'WRU', must: 1.8, target: 1.45 },
  importReadUnits: { label: 'Read per test, import of 500', unit: 'RRU', must: 0.5 },
  importTrips: { label: 'Trips per test, import of 500', unit: 'trips', must: 0.7 },
  largeImportUnits: { label: 'Written per test, import of 100,000', unit: 'WRU', must: 1.8, target: 1.45 },
  largeImportTrips: { label: 'Trips per test, import of 100,000', unit: 'trips', must: 0.3 },
  largeImportSeconds: {
    label: 'Time to record 100,000 tests; the worker has 840 s',
    unit: 's',
    must: 420,
    target: 120,
  },
  liveRequests: { label: 'Requests of our reporter per quick test', unit: 'requests', must: 0.06 },
  liveUnits: { label: 'Written per quick test of our reporter', unit: 'WRU', must: 1.8, target: 1.45 },
  // A spec file with 50 tests takes eight trips, a request with its authorizer about six, and the start of 20 spec
  // files 38.
  liveTrips: {
    label: 'Trips per quick test of our reporter, with the authorizer',
    unit: 'trips',
    must: 0.3,
  },
  liveBytes: { label: 'Bodies of our reporter per quick test, gzip', unit: 'bytes', must: 150 },
  streamUnits: { label: 'Written per test, streamed in two messages each', unit: 'WRU' },
  quickUnits: {
    label: 'Written per quick test, which the published reporter sends twice',
    unit: 'WRU',
    must: 6.5,
    target: 5,
  },
  quickReads: { label: 'Read per quick test in a file of 1,000', unit: 'RRU', must: 9, target: 5 },
  streamUnits25: { label: 'Written per streamed test, 25 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips25: { label: 'Trips per streamed test, 25 tests per file', unit: 'trips', must: 6.6, target: 5 },
  streamUnits250: { label: 'Written per streamed test, 250 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips250: { label: 'Trips per streamed test, 250 tests per file', unit: 'trips', must: 6.5, target: 5 },
  streamUnits1000: { label: 'Written per streamed test, 1,000 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips1000: { label: 'Trips per streamed test, 1,000 tests per file', unit: 'trips', must: 6.5, target: 5 },
  streamUnits5000: { label: 'Written per streamed test, 5,000 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips5000: { label: 'Trips per streamed test, 5,000 tests per file', unit: 'trips', must: 6.5, target: 5 },
  startUnits: { label: 'Written when 200 machines start a run at once', unit: 'WRU', must: 3000 },
  // 5,000 machines of our reporter at once, and 10 million tests a day.
  scaleRequests: { label: 'Requests of a large organization', unit: 'requests/s', must: 10_000, target: 500 },
  scaleReads: { label: 'Table of a large organization: reads', unit: 'RCU/s', must: 30_000, target: 7000 },
  scaleWrites: { label: 'Table of a large organization: writes', unit: 'WCU/s', must: 20_000, target: 15_000 },
  scaleConsumers: { label: 'Files of a large organization: calls at once', unit: 'calls', must: 50, target: 20 },
  scaleDollars: { label: 'Month of a large organization', unit: 'dollars', must: 12_000, target: 9000 },
  startHottest: {
    label: 'Hottest partition key when 200 machines start a run at once',
    unit: 'WCU/s',
    must: 200,
    target: 100,
  },
  loadHottest: {
    label: 'Hottest partition key with 200 machines and 800 workers',
    unit: 'WCU/s',
    must: 200,
    target: 100,
  },
  startReads: {
    label: 'Hottest partition key when 200 machines start a run at once: reads',
    unit: 'RCU/s',
    must: 500,
  },
  loadReads: { label: 'Hottest partition key with 200 machines and 800 workers: reads', unit: 'RCU/s', must: 500 },
  largeStartWrites: { label: 'Hottest partition key when 800 machines start a run at once', unit: 'WCU/s', must: 800 },
  largeLoadWrites: { label: 'Hottest partition key with 800 machines and 3,200 workers', unit: 'WCU/s', must: 800 },
  largeStartReads: {
    label: 'Hottest partition key when 800 machines start a run at once: reads',
    unit: 'RCU/s',
    must: 1500,
  },
  largeLoadReads: {
    label: 'Hottest partition key with 800 machines and 3,200 workers: reads',
    unit: 'RCU/s',
    must: 1500,
  },
  ownStartWrites: {
    label: 'Hottest partition key when 200 machines start with our reporter',
    unit: 'WCU/s',
    must: 200,
  },
  ownLoadWrites: { label: 'Hottest partition key with 200 machines of our reporter', unit: 'WCU/s', must: 200 },
  ownStartReads: {
    label: 'Hottest partition key when 200 machines start with our reporter: reads',
    unit: 'RCU/s',
    must: 500,
  },
  ownLoadReads: { label: 'Hottest partition key with 200 machines of our reporter: reads', unit: 'RCU/s', must: 500 },
  largeOwnStartWrites: {
    label: 'Hottest partition key when 800 machines start with our reporter',
    unit: 'WCU/s',
    must: 800,
  },
  largeOwnLoadWrites: { label: 'Hottest partition key with 800 machines of our reporter', unit: 'WCU/s', must: 800 },
  largeOwnStartReads: {
    label: 'Hottest partition key when 800 machines start with our reporter: reads',
    unit: 'RCU/s',
    must: 1500,
  },
  largeOwnLoadReads: {
    label: 'Hottest partition key with 800 machines of our reporter: reads',
    unit: 'RCU/s',
    must: 1500,
  },
  lostResults: { label: 'Results lost under the load of 200 machines', unit: 'results', must: 0 },
  largeLostResults: { label: 'Results lost under the load of 800 machines', unit: 'results', must: 0 },
  ownLostResults: { label: 'Results lost under the load of 200 machines of our reporter', unit: 'results', must: 0 },
  largeOwnLostResults: {
    label: 'Results lost under the load of 800 machines of our reporter',
    unit: 'results',
    must: 0,
  },
  progressUnits: { label: 'Live progress of a run in progress with 200 spec files', unit: 'RRU', must: 2, target: 1 },
  sessionUnits: { label: 'Start of a run and session of 200 spec files', unit: 'WRU', must: 500 },
  joinUnits: { label: 'Machine that joins a session: read units', unit: 'RRU', must: 5 },
  joinTrips: { label: 'Machine that joins a session: trips', unit: 'trips', must: 4 },
  taskUnits: { label: 'Answer to a machine that asks for spec files', unit: 'WRU', must: 5 },
  taskTrips: { label: 'Answer to a machine that asks for spec files: trips', unit: 'trips', must: 7 },
  htmlKilobytes: { label: 'HTML of a run with 50 spec files, gzip', unit: 'KB', must: 25, target: 11 },
  htmlRawKilobytes: { label: 'HTML of a run with 50 spec files', unit: 'KB', must: 400, target: 200 },
  styleKilobytes: { label: 'Style sheet, gzip', unit: 'KB', must: 8.5, target: 3 },
  scriptKilobytes: { label: 'Scripts of a page, gzip', unit: 'KB', must: 12, target: 6 },
  visitRequests: { label: 'Requests of the first visit of a page', unit: 'requests', must: 6, target: 4 },
  runPageUnits: {
    label: 'Page of a run with 50 spec files, a base, 10 failures and strips',
    unit: 'RRU',
    // Each strip of executions is a separate query, also of what happened in the next runs. The queries are sent
    // concurrently, in four rounds.
    must: 42,
    target: 35,
  },
  runPageTrips: { label: 'Trips of the page of a run, with session and role', unit: 'trips', must: 22, target: 15 },
  overviewUnits: {
    label: 'Overview of an organization with one project that fails',
    unit: 'RRU',
    must: 40,
    target: 20,
  },
  feedPageUnits: { label: 'Page of the 20 latest runs, two of them open', unit: 'RRU', must: 30, target: 10 },
  explorerPageUnits: { label: 'Page of the tests explorer after 12 runs', unit: 'RRU', must: 30, target: 20 },
  specFilePageUnits: { label: 'Page of one spec file after 12 runs', unit: 'RRU', must: 40, target: 20 },
  pollUnits: { label: 'Poll of the page of a run in progress with 50 spec files', unit: 'RRU', must: 2, target: 2 },
  recordingPollUnits: {
    label: 'Poll of the page of a run that our reporter records, 50 spec files',
    unit: 'RRU',
    must: 2.5,
    target: 2,
  },
  largePollUnits: {
    label: 'Poll of the page of a run in progress with 200 spec files',
    unit: 'RRU',
    must: 3,
    target: 2,
  },
  pageTimes: {
    label: 'Time of the page of a run, relative to the two API operations with its data',
    unit: 'times',
    must: 1.5,
    target: 1.2,
  },
  growthExponent: { label: 'Growth of page latency with stored rows', unit: 'exponent', must: 0.1, target: 0.03 },
  growthUnits: { label: 'Read units added to a page by stored rows', unit: 'RRU', must: 0, target: 0 },
  redeliveredRows: {
    label: 'Rows added when a run is delivered again, without scheduled work',
    unit: 'rows',
    must: 0,
    target: 0,
  },
  redeliveredCounters: {
    label: 'Counters changed when a run is delivered again',
    unit: 'counters',
    must: 0,
    target: 0,
  },
  sendingTimes: {
    label: 'Requests of a bare sender in the time of one webhook request',
    unit: 'requests',
    must: 3.3,
    target: 1.7,
  },
  linksBesideTraces: {
    label:
      'p99 of announcing a trace beside 20 heavy traces of another organization, relative to those of another deployment',
    unit: 'times',
    must: 3,
    target: 1.5,
  },
  importsBesideImports: {
    label:
      'p99 of a small import beside 10 large ones of another organization, relative to those of another deployment',
    unit: 'times',
    must: 3,
    target: 1.5,
  },
  fairness: {
    label: 'p99 delay of deliveries next to slow receivers of another organization, relative to alone',
    unit: 'times',
    must: 3,
    target: 1.5,
  },
  countingUnits: { label: 'Written per request to count it', unit: 'WRU', must: 0.1, target: 0.07 },
  floodDelay: {
    label: 'p99 of requests with 999 keys next to a flood with one key, relative to alone',
    unit: 'times',
    must: 3,
    target: 2,
  },
  floodPassed: {
    label: 'Requests of the flood that pass, relative to its limit',
    unit: 'times',
    must: 1.3,
    target: 1.1,
  },
  finishDelay: { label: 'Delay from the last result to RUN_FINISH, relative to a recording request', unit: 'requests' },
  runUnits: { label: 'Written for the start and end of a run, without its results', unit: 'WRU' },
  deliveryUnits: { label: 'Written per webhook delivery', unit: 'WRU' },
  notificationUnits: { label: 'Written per commit status with a comment', unit: 'WRU' },
  bodyMilliseconds: {
    label: 'CPU time of the most expensive request body',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  bodyMegabytes: { label: 'Memory of the most expensive request body, besides its size', unit: 'MB', must: 64 },
  unauthenticatedMilliseconds: {
    label: 'CPU time of the most expensive unauthenticated body',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  unauthenticatedMegabytes: { label: 'Memory of the most expensive unauthenticated body', unit: 'MB', must: 64 },
  contextCost: {
    label: 'CPU time of the most expensive failure context, relative to 50 tests with nothing but an error',
    unit: 'times',
    must: 2.5,
    target: 1.5,
  },
  contextMegabytes: { label: 'Memory of the failure context that takes the most', unit: 'MB', must: 64 },
  suiteMilliseconds: { label: 'CPU time to read a suite of 100,000 tests', unit: 'ms CPU' },
  junitMilliseconds: {
    label: 'CPU time of a request for the worst 100 KB of gzip, JUnit XML',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  junitMegabytes: { label: 'Memory of a request for the worst 100 KB of gzip, JUnit XML', unit: 'MB', must: 64 },
  ctrfMilliseconds: {
    label: 'CPU time of a request for the worst 100 KB of gzip, CTRF',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  ctrfMegabytes: { label: 'Memory of a request for the worst 100 KB of gzip, CTRF', unit: 'MB', must: 64 },
  playwrightJsonMilliseconds: {
    label: 'CPU time of a request for the worst 100 KB of gzip, Playwright JSON',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  playwrightJsonMegabytes: {
    label: 'Memory of a request for the worst 100 KB of gzip, Playwright JSON',
    unit: 'MB',
    must: 64,
  },
  blobMilliseconds: {
    label: 'CPU time of a request for the worst 100 KB of gzip, Playwright blob',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  blobMegabytes: { label: 'Memory of a request for the worst 100 KB of gzip, Playwright blob', unit: 'MB', must: 64 },
  toolMilliseconds: {
    label: 'CPU time of a request for the worst flooded sample, all other formats',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  toolMegabytes: { label: 'Memory of a request for the worst flooded sample, all other formats', unit: 'MB', must: 64 },
  // The smaller of two ratios: tests of some formats have ten times as many bytes as those of others.
  formatTimes: {
    label: 'CPU time per test or per byte of 100 MB, worst format relative to JUnit',
    unit: 'times',
    must: 4,
    target: 1.5,
  },
  formatMegabytes: { label: 'Memory of a file of 100 MB, worst format, heap of 256 MB', unit: 'MB', must: 500 },
  folderTimes: {
    label: 'CPU time per test of a folder of 10,000 Allure results, relative to JUnit',
    unit: 'times',
    must: 8,
  },
  folderMegabytes: { label: 'Memory of this folder', unit: 'MB', must: 150 },
  reportMemory: {
    label: 'Memory of a JUnit file of 200 MB, per byte of the file',
    unit: 'bytes',
    must: 2,
    target: 1,
  },
  reportSeconds: { label: 'CPU time to parse a JUnit file of 200 MB', unit: 's CPU', must: 30, target: 5 },
  uploadMilliseconds: { label: 'CPU time to read an upload of 10 MB', unit: 'ms CPU' },
  ...PAGE_BUDGETS,
  ...ANALYTICS_BUDGETS,
  idleMinuteUnits: { label: 'Read by sweeps in an idle minute', unit: 'RRU' },
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof BUDGETS;

export interface Measurement {
  readonly name: BudgetName;
  readonly measured: number;
  readonly note?: string;
}

/** The rates of this service and of a bare `node:http` server or sender for the same requests. */
export interface Ratio {
  readonly label: string;
  readonly unit: string;
  /** The rate of this service divided by the bare one: the median over all rounds. */
  readonly ratio: number;
  readonly perSecond: number;
  readonly barePerSecond: number;
}
