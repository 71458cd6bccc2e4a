export const TABLE_STREAM =
  'arn:aws:dynamodb:eu-west-1:123456789012:table/rundown-prod-restored/stream/2026-11-20T10:00:00.000';

/**
 * All settings of a prod environment except `zone`, `oauthIssuer` and `trackerNetwork`. The environment uses a restored
 * table, which was imported into the stack.
 */
export const EVERY_SETTING = {
  env: 'prod',
  domain: 'results.example.com',
  certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
  privateWebhooks: 'true',
  dailyExports: 'true',
  subnets: 'subnet-0a1,subnet-0b2',
  securityGroups: 'sg-0c3',
  signingKeys: 'first,second',
  alarmEmail: 'on-call@example.com',
  warningEmail: 'team@example.com',
  budget: '500',
  metricsPerRoute: 'true',
  consumerConcurrency: '4',
  lambdaConcurrency: '50',
  throttle: '3000',
  organizationThrottle: '2500,6000',
  tableMaximum: '60000,45000',
  tableQuota: '80000',
  requestsPerMonth: '50000000',
  storedGigabytes: '8000',
  resultsDays: '180',
  evidenceDays: '60',
  filesDays: '30',
  logDays: '14',
  table: 'rundown-prod-restored',
  tableStream: TABLE_STREAM,
  tableImport: 'true',
  backupVault: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:rundown',
  tracing: 'true',
  dashboard: 'true',
  webAcl: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/rundown/0a1b2c',
  owner: 'qa-platform',
  costCenter: '4711',
};
