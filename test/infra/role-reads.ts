/**
 * The rows that the page of a share needs: the share, everything that can end its validity, and the run that it shows.
 */
const FOR_SHARES = ['ACCOUNT#*', 'FAILURES#*', 'INSTANCE#*', 'MEMBERS#*', 'ORG#*', 'RUN#*', 'SHARE#*'];

/**
 * The only rows that these functions may read. The list is written by hand, so that every addition or removal is
 * noticed in a review.
 */
export const READS_ONLY: Readonly<Record<string, readonly string[]>> = {
  auditAnalytics: [
    'CHECKPOINT#*',
    'DUE#*',
    'INSTANCE#*',
    'NAMES#*',
    'ORGS',
    'PENDING#*',
    'PROJECTS#*',
    'ROOTS#*',
    'RUN#*',
    'RUNS#*',
    'SPAN#*',
  ],
  authorizationServer: ['GRANT#*', 'GRANTS#*', 'ISSUER', 'MEMBERS#*', 'OAUTH#*', 'ORG#*', 'SESSION#*'],
  authorizer: ['ISSUER', 'KEY#*', 'MEMBERS#*', 'ORG#*', 'TOKEN#*', 'USAGE#*'],
  cleanUpTokens: ['AUDIT#*', 'CHECKPOINT#*', 'MEMBERS#*', 'ORG#*', 'ORGS', 'TOKEN#*', 'TOKENS#*'],
  compileEndedRun: [
    'BADGE#*',
    'BADGES#*',
    'DUE#*',
    'INSTANCE#*',
    'ISSUES#*',
    'NAMES#*',
    'PENDING#*',
    'RUN#*',
    'TERMS#*',
    'WORDS#*',
  ],
  confirmArtifact: ['FILES#*', 'INSTANCE#*', 'SLOTS#*', 'USAGE#*'],
  deliverNotification: [
    'COMPLETE#*',
    'DUE#*',
    'FAILURES#*',
    'HISTORY#*',
    'INSTANCE#*',
    'ISSUES#*',
    'NOTABLE#*',
    'NOTIFICATION#*',
    'PROJECT#*',
    'RUN#*',
    'SLOTS#*',
  ],
  deliverWebhook: ['DUE#*', 'SLOTS#*', 'WEBHOOK#*'],
  exportDays: [
    'CHECKPOINT#*',
    'EXPORTS#*',
    'INSTANCE#*',
    'ORGS',
    'PROJECT#*',
    'PROJECTS#*',
    'ROOTS#*',
    'RUN#*',
    'RUNS#*',
  ],
  fanOutRunEvent: ['NOTIFICATION#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  getShared: FOR_SHARES,
  mergeAnalytics: ['DUE#*', 'INSTANCE#*', 'NAMES#*', 'PENDING#*', 'ROOTS#*', 'RUN#*', 'SPAN#*', 'TERMS#*', 'WORDS#*'],
  relayOutbox: ['ASIDE#*', 'OUTBOX#*'],
  measureStorage: ['ORGS', 'USAGE#*'],
  removeExpiredFiles: ['DUE#*', 'INSTANCE#*', 'USAGE#*'],
  resendOutbox: ['ASIDE#*', 'OUTBOX#*', 'PARKED#*'],
  retryDeliveries: ['DUE#*'],
  shares: ['BADGE#*', ...FOR_SHARES].sort(),
};
