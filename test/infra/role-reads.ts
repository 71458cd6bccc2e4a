/** The only rows that these functions may read, listed by hand. They process untrusted input. */
export const READS_ONLY: Readonly<Record<string, readonly string[]>> = {
  auditAnalytics: [
    ...['CHECKPOINT#*', 'DUE#*', 'INSTANCE#*', 'NAMES#*', 'ORGS', 'PENDING#*', 'PROJECTS#*'],
    ...['ROOTS#*', 'RUN#*', 'RUNS#*', 'SPAN#*'],
  ],
  authorizationServer: ['GRANT#*', 'GRANTS#*', 'ISSUER', 'MEMBERS#*', 'OAUTH#*', 'ORG#*', 'SESSION#*'],
  authorizer: ['ISSUER', 'KEY#*', 'MEMBERS#*', 'ORG#*', 'TOKEN#*'],
  cleanUpTokens: ['AUDIT#*', 'CHECKPOINT#*', 'MEMBERS#*', 'ORG#*', 'ORGS', 'TOKEN#*', 'TOKENS#*'],
  compileEndedRun: ['DUE#*', 'INSTANCE#*', 'NAMES#*', 'PENDING#*', 'RUN#*', 'TERMS#*'],
  confirmArtifact: ['FILES#*', 'INSTANCE#*', 'SLOTS#*'],
  deliverNotice: [
    ...['COMPLETE#*', 'DUE#*', 'FAILURES#*', 'HISTORY#*', 'INSTANCE#*', 'NOTABLE#*', 'NOTICE#*', 'PROJECT#*'],
    ...['RUN#*', 'SLOTS#*'],
  ],
  deliverWebhook: ['DUE#*', 'SLOTS#*', 'WEBHOOK#*'],
  fanOutRunEvent: ['NOTICE#*', 'WEBHOOK#*', 'WEBHOOKS#*'],
  mergeAnalytics: [...['DUE#*', 'INSTANCE#*', 'NAMES#*', 'PENDING#*', 'ROOTS#*', 'RUN#*', 'SPAN#*', 'TERMS#*']],
  relayOutbox: ['ASIDE#*', 'OUTBOX#*'],
  removeExpiredFiles: ['DUE#*', 'INSTANCE#*'],
  resendOutbox: ['ASIDE#*', 'OUTBOX#*', 'PARKED#*'],
  retryDeliveries: ['DUE#*'],
};
